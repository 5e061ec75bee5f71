import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { sandboxItem, saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { waitingOffer } from '../support/delivery-attempts.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
  type Sent,
} from '../support/function-events.ts';
import { requestRecord } from '../support/records.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import { newOffer, newPaymentRequest, waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { useFunctions } from '../support/use-functions.ts';
import { runtimeClient, startInRuntimeClient } from './runtime-client.ts';

const { settingsOf, tenant } = await useFunctions();
const { workspace } = tenant;

const none = { batchItemFailures: [] };
const newItem = () => inserted({ ...sandboxItem(waitingSandbox(workspace)), author });
const request = (route: Route, sent: Partial<Sent>) =>
  requestTo(route, { tenant, key: randomUUID(), ...sent });

/** An event for each function as AWS sends it, and members of the answer. */
const recorded: Readonly<Record<string, () => Promise<[event: object, answer: object]>>> = {
  authorize: async () => [
    authorization(routes.listSandboxes, `Bearer ${tenant.token}`),
    { principalId: workspace },
  ],
  'approve-payment-request': async () => {
    const { id } = await newPaymentRequest(workspace);
    const body = { approver: tenant.manager };
    return [request(routes.approvePaymentRequest, { id, body }), { statusCode: 200 }];
  },
  'create-sandbox': async () => [
    request(routes.createSandbox, { body: { name: 'Sandbox' } }),
    { statusCode: 201 },
  ],
  'list-sandboxes': async () => [requestTo(routes.listSandboxes, { tenant }), { statusCode: 200 }],
  'resend-offer': async () => {
    const { id } = await newOffer(workspace);
    return [request(routes.resendOffer, { id }), { statusCode: 200 }];
  },
  'relay-outbox': async () => [newItem(), none],
  'publish-events': async () => [newItem(), none],
  'provision-sandbox': async () => {
    const sandbox = waitingSandbox(workspace);
    await saveNewSandbox(sandbox, author);
    return [messages(outboxMessage('Provisioning', sandbox)), none];
  },
  'deliver-offer': async () => {
    const { attempt } = await waitingOffer(workspace);
    return [messages(outboxMessage('Delivery', { workspace, ...attempt })), none];
  },
  'import-record': async () => {
    const body = { workspace, version: 1, payment_request: requestRecord() };
    return [messages(JSON.stringify(body)), none];
  },
  'record-mail-event': async () => {
    const { attempt } = await waitingOffer(workspace, { status: 'sent' });
    return [messages(mailEvent(attempt, 'delivery', workspace)), none];
  },
};

describe.skipIf(!runtimeClient)("in AWS's runtime client", () => {
  test.each(Object.keys(recorded))('%s answers an event', async (name) => {
    const version = await startInRuntimeClient(settingsOf(name));
    const [event, answer] = (await recorded[name]?.()) ?? [];
    expect(await version.invoke(event)).toMatchObject(answer ?? {});
  });
});
