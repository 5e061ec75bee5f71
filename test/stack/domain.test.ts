import { expect, test } from 'vitest';
import { asText, developmentTemplate, resourceOf } from '../support/read-template.ts';
import { everything, templateOf } from '../support/synthesize-stage.ts';

test("no client can agree on TLS 1.0, 1.1 or 1.2 with the API, at API Gateway's own address", () => {
  // A handshake takes the policy of the API, whatever that of its domain is.
  const [, { Properties }] = resourceOf(developmentTemplate(), 'AWS::ApiGateway::RestApi');
  expect(Properties).toMatchObject({
    SecurityPolicy: 'SecurityPolicy_TLS13_1_3_2025_09',
    EndpointAccessMode: 'STRICT',
  });
});

test("a domain leaves API Gateway's own address in service, and its name in an output", async () => {
  const { Outputs, ...template } = await templateOf(everything);
  const [id, { Properties }] = resourceOf({ Outputs, ...template }, 'AWS::ApiGateway::RestApi');
  expect(Properties).not.toHaveProperty('DisableExecuteApiEndpoint');
  expect(Outputs.ApiUrl?.Value).toBe(`https://${everything.domainName}/`);
  expect(asText(Outputs.ApiGatewayUrl?.Value)).toContain(`https://\${${id}}.execute-api.`);
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
