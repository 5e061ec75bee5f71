import { expect, test } from 'vitest';
import { fixtures, type Sandbox } from '../../functions/domain/sandbox.ts';
import { keys } from '../../functions/store/keys.ts';
import { findManager } from '../../functions/store/managers.ts';
import { loadOffer } from '../../functions/store/offers.ts';
import { loadPaymentRequest } from '../../functions/store/payment-requests.ts';
import { readItem } from '../../functions/store/read.ts';
import { findSandbox, saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { created } from '../support/delivery-attempts.ts';
import { errorResponse } from '../support/fault-proxy.ts';
import { messages, outboxMessage } from '../support/function-events.ts';
import { waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { useFunctions } from '../support/use-functions.ts';
import { failuresOf } from './responses.ts';

const { deployed, proxied, tenant } = await useFunctions();

const lambda = deployed('provision-sandbox');

/** The ids of the messages that are returned to the queue. */
const consume = (sandbox: Sandbox, by = lambda) =>
  failuresOf(by, messages(outboxMessage('Provisioning', sandbox)));

const newWaiting = async (): Promise<Sandbox> => {
  const sandbox = waitingSandbox(tenant.workspace, created);
  await saveNewSandbox(sandbox, author);
  return sandbox;
};

const now = async ({ workspace, id }: Sandbox) => (await findSandbox(workspace, id))?.sandbox;

test('provision-sandbox makes a sandbox ready, with everything that its test workspace is to hold', async () => {
  const sandbox = await newWaiting();

  expect(await consume(sandbox)).toEqual([]);

  const ready = await now(sandbox);
  expect(ready).toEqual({ ...sandbox, status: 'ready', updated: expect.any(String) });
  expect(ready && ready.updated > sandbox.updated).toBe(true);
  const made = fixtures(sandbox, ready?.updated ?? '');
  const caller = { workspace: made.workspace.id, account: made.workspace.account, scopes: '' };
  expect(await readItem(keys.workspace(sandbox.sandbox_workspace))).toMatchObject(made.workspace);
  expect(await findManager(made.manager.account, made.manager.id)).toEqual(made.manager);
  expect(await loadPaymentRequest(caller, made.paymentRequest.id)).toEqual(made.paymentRequest);
  expect(await loadOffer(caller, made.offer.id)).toEqual(made.offer);
  expect(await readItem(keys.delivery(made.offer.id, made.delivery.id))).toMatchObject(
    made.delivery,
  );
});

test("a message that names another workspace's sandbox comes again", async () => {
  const sandbox = await newWaiting();
  expect(await consume({ ...sandbox, workspace: 'wsp_other' })).toEqual(['message-0']);
  expect(await now(sandbox)).toEqual(sandbox);
});

test('a message does not come again whose write was done, though its response was lost and another try refused', async () => {
  const sandbox = await newWaiting();
  const { proxy, lambda: by } = await proxied('provision-sandbox');
  const refused = errorResponse('TransactionCanceledException:ConditionalCheckFailed');
  proxy.inject({ operation: 'TransactWriteItems', calls: [1], fault: { kind: 'loseResponse' } });
  proxy.inject({ operation: 'TransactWriteItems', fault: refused });

  expect(await consume(sandbox, by)).toEqual([]);

  expect(proxy.clear().met).toEqual(['loseResponse', 'response']);
  expect(await now(sandbox)).toMatchObject({ status: 'ready' });
});
