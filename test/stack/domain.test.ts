import { expect, test } from 'vitest';
import { resourceOf } from '../support/read-template.ts';
import { everything, templateOf } from '../support/synthesize-stage.ts';

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
