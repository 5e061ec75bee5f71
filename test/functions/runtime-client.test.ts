import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
  type Sent,
} from '../../bin/testing/function-events.ts';
import { waitingSandbox } from '../../bin/testing/tenants.ts';
import { author } from '../../bin/testing/test-author.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { sandboxItem, saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { functionNames } from '../../lib/bundles/bundles.ts';
import { useFunctions } from '../support/use-functions.ts';
import { runtimeClient, startInRuntimeClient } from './runtime-client.ts';

const { settingsOf, tenant } = await useFunctions();
const { workspace } = tenant;

const none = { batchItemFailures: [] };

const sandbox = waitingSandbox(workspace);
await saveNewSandbox(sandbox, author);

const request = (route: Route, status: number, sent: Partial<Sent> = {}) =>
  [requestTo(route, { tenant, key: randomUUID(), ...sent }), { statusCode: status }] as const;

/** An event of each function as AWS sends it, and members of the response. */
const recorded: Readonly<Record<string, readonly [event: object, response: object]>> = {
  authorize: [
    authorization(routes.listSandboxes, `Bearer ${tenant.token}`),
    { principalId: workspace },
  ],
  'approve-payment-request': request(routes.approvePaymentRequest, 404, {
    id: 'ptr_none',
    body: { approver: tenant.manager },
  }),
  'create-sandbox': request(routes.createSandbox, 201, { body: { name: 'Sandbox' } }),
  'list-sandboxes': request(routes.listSandboxes, 200),
  'resend-offer': request(routes.resendOffer, 404, { id: 'ofr_none' }),
  'publish-events': [inserted({ ...sandboxItem(sandbox), author }), none],
  'relay-outbox': [inserted(), none],
  'provision-sandbox': [messages(outboxMessage('Provisioning', sandbox)), none],
  'deliver-offer': [messages(), none],
  'record-mail-event': [messages(), none],
  'import-record': [messages(), none],
};

test('there is an event for each function', () => {
  expect(Object.keys(recorded).sort()).toEqual(functionNames.toSorted());
});

describe.skipIf(!runtimeClient)("in AWS's runtime client", () => {
  test.each(Object.entries(recorded))('%s responds', async (name, [event, response]) => {
    const version = await startInRuntimeClient(settingsOf(name));
    expect(await version.invoke(event)).toEqual(expect.objectContaining(response));
  });
});
