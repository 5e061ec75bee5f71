import { expect, onTestFinished, test } from 'vitest';
import { startEngine } from '../../../lib/local/local-engine.ts';
import { caller } from '../../../test/support/http.ts';
import { mailsTo } from '../../../test/support/mails-to.ts';
import { stack as shared } from '../../../test/support/running-stack.ts';
import { useStoreOf } from '../../../test/support/store.ts';
import { everything, synthesizedApp } from '../../../test/support/synthesize-stage.ts';
import { newOffer, newTenant } from '../../../test/support/tenants.ts';

test('the stage prod, with everything that can be set, runs here too', async () => {
  const app = await synthesizedApp(everything);
  const stack = await startEngine({
    assemblyDirectory: app.synth().directory,
    dynamodbUrl: shared.endpoints.dynamodb,
    log: () => {},
  });
  onTestFinished(() => stack.stop());
  const { url = '', endpoints, outputs, mailbox } = stack;
  useStoreOf({ table: outputs.TableName ?? '', endpoints });
  const call = caller(url);

  expect(stack.notRun).toEqual(['AWS::WAFv2::WebACL']);
  const { token, workspace } = await newTenant();
  const created = await call('POST', '/v1/sandboxes', { token, body: { name: 'First' } });
  expect(created.status).toBe(201);
  await expect
    .poll(() => call('GET', '/v1/sandboxes', { token }))
    .toMatchObject({ body: { sandboxes: [{ status: 'ready' }] } });
  const offer = await newOffer(workspace);
  const resent = await call('POST', `/v1/offers/${offer.id}/resend`, { token });
  expect(resent.status).toBe(200);
  await expect.poll(() => mailsTo(offer.recipient_email, mailbox)).not.toEqual([]);
});
