import { describe, expect, test } from 'vitest';
import { everything, templateOf } from '../support/synthesis.ts';
import {
  asText,
  developmentTemplate,
  resourceOf,
  type SynthesizedTemplate,
} from '../support/synthesized.ts';

/** The addresses of API Gateway's own that the outputs name. */
const ownAddressesOf = ({ Outputs }: SynthesizedTemplate) =>
  Object.entries(Outputs)
    .filter(([, { Value }]) => asText(Value).includes('execute-api'))
    .map(([name]) => name);

describe('a domain of the company', async () => {
  const template = await templateOf(everything);
  const [domain, { Properties }] = resourceOf(template, 'AWS::ApiGateway::DomainName');
  const [api, { Properties: apiProperties }] = resourceOf(template, 'AWS::ApiGateway::RestApi');
  const [stage] = resourceOf(template, 'AWS::ApiGateway::Stage');

  test('speaks TLS 1.2 or later with its certificate', () => {
    expect(Properties).toEqual({
      DomainName: everything.domainName,
      RegionalCertificateArn: everything.certificateArn,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'TLS_1_2',
    });
  });

  test('leads to the stage, whose name is not in its paths', () => {
    const [, { Properties: mapping }] = resourceOf(template, 'AWS::ApiGateway::BasePathMapping');
    expect(mapping).toEqual({
      DomainName: { Ref: domain },
      RestApiId: { Ref: api },
      Stage: { Ref: stage },
    });
    expect(template.Outputs.ApiUrl?.Value).toBe(`https://${everything.domainName}/`);
  });

  test('says what its DNS record must point to', () => {
    expect(asText(template.Outputs.DomainTarget?.Value)).toBe(`\${${domain}.RegionalDomainName}`);
  });

  test("is the only way in: API Gateway's own address is off, and nobody is told of it", () => {
    expect(apiProperties.DisableExecuteApiEndpoint).toBe(true);
    expect(ownAddressesOf(template)).toEqual([]);
  });
});

test("without one, the API has API Gateway's own address", () => {
  const template = developmentTemplate();
  const [, { Properties }] = resourceOf(template, 'AWS::ApiGateway::RestApi');
  expect(Properties).not.toHaveProperty('DisableExecuteApiEndpoint');
  expect(Object.values(template.Resources).map(({ Type }) => Type)).not.toContain(
    'AWS::ApiGateway::DomainName',
  );
  expect(ownAddressesOf(template)).toEqual(['ApiUrl']);
});
