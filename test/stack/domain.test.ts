import { expect, test } from 'vitest';
import {
  asText,
  developmentTemplate,
  resourceOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { everything, templateOf } from '../support/synthesize-stage.ts';

/** The addresses of API Gateway's own that the outputs name. */
const ownAddressesOf = ({ Outputs }: SynthesizedTemplate) =>
  Object.entries(Outputs)
    .filter(([, { Value }]) => asText(Value).includes('execute-api'))
    .map(([name]) => name);

test('no client can agree on TLS 1.0, 1.1 or 1.2 with the API', () => {
  const template = developmentTemplate();
  // A handshake takes the policy of the API, whatever that of its domain is.
  const [, { Properties }] = resourceOf(template, 'AWS::ApiGateway::RestApi');
  expect(Properties).toMatchObject({
    SecurityPolicy: 'SecurityPolicy_TLS13_1_3_2025_09',
    EndpointAccessMode: 'STRICT',
  });
});

test('clients can agree on TLS 1.2 where the stage says so, with the API and with its domain', async () => {
  const template = await templateOf({ ...everything, tls: '1.2' });
  for (const type of ['RestApi', 'DomainName']) {
    const [, { Properties }] = resourceOf(template, `AWS::ApiGateway::${type}`);
    expect(Properties).toMatchObject({
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
  }
});

test("without a domain of the company, the API has API Gateway's own address", () => {
  const template = developmentTemplate();
  const [, { Properties }] = resourceOf(template, 'AWS::ApiGateway::RestApi');
  expect(Properties).not.toHaveProperty('DisableExecuteApiEndpoint');
  expect(Object.values(template.Resources).map(({ Type }) => Type)).not.toContain(
    'AWS::ApiGateway::DomainName',
  );
  expect(ownAddressesOf(template)).toEqual(['ApiUrl']);
});
