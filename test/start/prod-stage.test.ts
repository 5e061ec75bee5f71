import { expect, onTestFinished, test } from 'vitest';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { startLocalStack } from '../../lib/local/local-engine.ts';
import { eventually } from '../support/eventually.ts';
import { caller } from '../support/http.ts';
import { mailsTo } from '../support/mailbox.ts';
import { stack as shared } from '../support/stack.ts';
import { useStoreOf } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { newOffer, newTenant } from '../support/tenants.ts';

/** Everything that can be set, so that all that only this stage has is in the template. */
const context = {
  stage: 'prod',
  sender: 'offers@pay.example.com',
  senderIdentity: 'pay.example.com',
  createSenderIdentity: true,
  alarmEmail: 'operators@example.com',
  domainName: 'api.example.com',
  certificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/0',
  firewall: true,
  reservedConcurrency: 5,
};

test('the stage prod runs here too, through the aliases of its functions', async () => {
  const assembly = (
    await createApp({ ...withoutValidation, context, outdir: temporaryDirectory() })
  ).synth();
  const stack = await startLocalStack({
    assemblyDirectory: assembly.directory,
    dynamodbUrl: shared.endpoints.dynamodb,
    log: () => {},
  });
  onTestFinished(() => stack.stop());
  const { url = '', endpoints, outputs, mailbox } = stack;
  useStoreOf({ table: outputs.TableName ?? '', endpoints });
  const call = caller(url);

  expect(stack.notHonoured).toEqual(['1 AWS::WAFv2::WebACL']);
  const { token, workspace } = await newTenant();
  const created = await call('POST', '/v1/sandboxes', { token, body: { name: 'First' } });
  expect(created.status).toBe(201);
  await eventually(async () => {
    const { body } = await call('GET', '/v1/sandboxes', { token });
    return body.sandboxes[0].status === 'ready';
  });
  const offer = await newOffer(workspace);
  const resent = await call('POST', `/v1/offers/${offer.id}/resend`, { token });
  expect(resent.status).toBe(200);
  await eventually(async () => (await mailsTo(offer.recipient_email, mailbox)).length > 0);
});
