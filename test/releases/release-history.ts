import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../../bin/admin/table/in-parallel.ts';
import { type Item, readPartition, scan, typeFilter } from '../../bin/admin/table/scan.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { table } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import type { OperationId } from '../../lib/openapi/operation.ts';
import { requestOf } from '../../lib/openapi/operations.ts';
import { createTable } from '../support/create-table.ts';
import { errorAnswer } from '../support/fault-proxy.ts';
import { formatLines } from '../support/json-lines.ts';
import { putAll, removeAll } from '../support/put-all.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import { author } from '../support/test-author.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type Client, type Company, lasting, type ReleaseStage } from './company.ts';
import type { FrozenMessage, FrozenPage, KeyedRequest } from './frozen.ts';

/** The ids of payment requests and offers, by their status or what is done with them. */
interface Records {
  readonly requests: Readonly<Record<string, string>>;
  readonly offers: Readonly<Record<string, string>>;
}

/** Imports payment requests and offers in every status. */
export const importRecords = async (
  { admin, directory }: ReleaseStage,
  workspace: string,
): Promise<Records> => {
  const named = (prefix: string, statuses: readonly string[]) =>
    Object.fromEntries(statuses.map((status) => [status, `${prefix}_${newOpaque()}`]));
  const requests = named('ptr', [
    ...requestStatuses,
    'first',
    'spelled',
    'approvedOften',
    'worker',
  ]);
  const offers = named('ofr', [...offerStatuses, ...mailed]);
  const importLines = async (noun: string, records: readonly object[]) => {
    const file = join(directory, `${noun}.jsonl`);
    writeFileSync(file, formatLines(records));
    await admin(noun, 'import', file, '--workspace', workspace);
  };
  await importLines(
    'payment-request',
    Object.entries(requests).map(([name, id]) => ({
      id,
      worker: name === 'worker' ? worker : 'wr_frozen',
      amount: '1250.00',
      currency: 'USD',
      reference: `INV-${name}`,
      note: 'October',
      period: { starts: '2026-10-01', ends: '2026-10-31' },
      status: requestStatuses.find((status) => status === name) ?? 'pending',
      ...(name === 'paid' && {
        documents: [{ id: 'doc_1', name: 'timesheet.pdf' }],
        payment: { id: 'pay_1', amount: '1250.00', currency: 'USD' },
      }),
    })),
  );
  await importLines(
    'offer',
    Object.entries(offers).map(([name, id]) => ({
      id,
      recipient_email: simulated[name] ?? `${name.toLowerCase()}@example.com`,
      status: offerStatuses.find((status) => status === name) ?? 'draft',
    })),
  );
  return { requests, offers };
};

const requestStatuses = ['draft', 'pending', 'approved', 'rejected', 'paid', 'cancelled'];
const offerStatuses = ['draft', 'sent', 'accepted', 'declined', 'expired', 'voided'];
/** Recipients whose mail ends like this. */
const simulated: Readonly<Record<string, string>> = {
  delivered: 'success@simulator.amazonses.com',
  bounced: 'bounce@simulator.amazonses.com',
  complained: 'complaint@simulator.amazonses.com',
};
/** Offers to send. */
const mailed = [
  ...[...Object.keys(simulated), 'failed', 'resent', 'redacted'],
  ...['dead', 'discarded', 'reported', 'waiting', 'held'],
];

const often = 299;
const worker = 'wr_redacted';
const workerKey = 'approve-redacted';

/** Approves: with a reason and without, and one request 300 times, the last time with a key. */
export const approveAll = async (
  { service }: ReleaseStage,
  { manager }: Company,
  client: Client,
  requests: Readonly<Record<string, string>>,
): Promise<void> => {
  const approve = (id = '', key = '', reason?: string, approver = manager) =>
    client.sendKeyed('approvePaymentRequest', { id, manager: approver, reason }, key);
  await approve(requests.first, 'approve-1', 'Matches the timesheet');
  // What another reading of a body would change is a part of its fingerprint.
  await approve(requests.spelled, 'approve-spelled', ' Padded ', manager.toUpperCase());
  await approve(requests.worker, workerKey, 'Known to the worker');
  await client.send('approvePaymentRequest', { id: requests.approved, manager });
  const unkeyed = inParallel(Array.from({ length: often }), 8, () =>
    client.send('approvePaymentRequest', { id: requests.approvedOften, manager }),
  );
  await Array.fromAsync(unkeyed);
  // The answer to the next one leaves the approvals that are older than some seconds in the table.
  service.clock.advance(60_000);
  await approve(requests.approvedOften, 'approve-300');
};

const sandboxes = 10;

/** Creates sandboxes, waits until they are ready, and lists them in both directions. */
export const createSandboxes = async (
  client: Client,
): Promise<{ readonly pages: FrozenPage[]; readonly testWorkspace: string }> => {
  for (let index = 2; index < sandboxes; index++) {
    await client.send('createSandbox', { name: `Sandbox ${index}` });
  }
  await client.sendKeyed('createSandbox', { name: 'Sandbox with a key' }, 'create-1');
  await client.sendKeyed('createSandbox', { name: ' Cafe\u0301 ' }, 'create-spelled');
  await waitUntil(async () => (await itemsOfType('SANDBOX', 'ready')).length === sandboxes);
  const pages: FrozenPage[] = [];
  const list = async (query: Readonly<Record<string, string>>) => {
    const { body } = await client.send('listSandboxes', query);
    const ids = body.sandboxes.map(({ id }: { id: string }) => id);
    pages.push({ query, ids });
    return { ids, cursor: body.cursor };
  };
  const newest = await list({ limit: '3' });
  const second = await list({ limit: '3', cursor: newest.cursor });
  const third = await list({ limit: '3', cursor: second.cursor });
  const before = await list({ limit: '2', ending_before: third.ids.at(-1) });
  await list({ limit: '2', cursor: before.cursor });
  await list({ limit: '3', starting_after: third.ids.at(0) });
  const [ready] = await itemsOfType('SANDBOX', 'ready');
  // The first page is of whatever is the newest.
  return { pages: pages.slice(1), testWorkspace: String(ready?.sandbox_workspace) };
};

/** Sends offers, and waits until it is known what became of their mails. */
export const sendOffers = async (
  { service, admin }: ReleaseStage,
  client: Client,
  offers: Readonly<Record<string, string>>,
): Promise<void> => {
  const failed = { operation: 'SendEmail', about: 'failed@example.com' };
  service.ses.inject({ ...failed, fault: errorAnswer('MessageRejected') });
  for (const name of mailed) {
    await admin('offer', 'send', String(offers[name]), '--key', `send-${name}`);
  }
  const ends = ['failed', ...Object.keys(simulated)];
  const waitForMails = (count: number) =>
    waitUntil(async () => {
      const [sent = [], ...others] = await Promise.all(['sent', ...ends].map(attemptsIn));
      return sent.length === count - ends.length && others.every(({ length }) => length === 1);
    });
  await waitForMails(mailed.length);
  service.heal();
  await client.sendKeyed('resendOffer', { id: offers.resent }, 'resend-1');
  await client.send('resendOffer', { id: offers.resent });
  await waitForMails(mailed.length + 2);
};

const itemsOfType = async (type: string, status: string, name?: string): Promise<Item[]> =>
  Array.fromAsync(scan(typeFilter(type, { status, name })));

const attemptsIn = (status: string) => itemsOfType('DELIVERY', status);

/** Resends the offer of a sandbox, whose mail is simulated. @returns a token of the sandbox */
export const simulateMail = async (
  { admin }: ReleaseStage,
  client: Client,
  workspace: string,
): Promise<string> => {
  const { token } = await admin(
    ...['token', 'issue', '--workspace', workspace],
    ...[...lasting, '--json'],
  );
  const id = workspace.replace('wsp_test_', 'ofr_');
  await client.send('resendOffer', { id }, { token });
  await waitUntil(async () =>
    (await attemptsIn('simulated')).some((attempt) => 'simulated_at' in attempt),
  );
  return token;
};

/** Redacts what is kept of a worker and of a recipient: a saved answer too, which is replayed. */
export const redactData = async (
  { admin }: ReleaseStage,
  { workspace }: Company,
  client: Client,
): Promise<void> => {
  const redact = (...who: string[]) => admin('redact', '--workspace', workspace, ...who, '--yes');
  await redact('--worker', worker);
  await redact('--recipient', 'redacted@example.com');
  await client.sendAgain(workerKey);
};

/** Moves a workspace as if from another table: export, and import where it is not. */
export const moveWorkspace = async ({ admin, directory }: ReleaseStage): Promise<void> => {
  const { id: account } = await admin('account', 'create', '--name', 'Moved Ltd', '--json');
  const owner = ['--account', account, '--name', 'Moved', '--json'];
  const { id: workspace } = await admin('workspace', 'create', ...owner);
  const file = join(directory, 'moved.jsonl');
  writeFileSync(file, await admin('export', '--workspace', workspace));
  await removeAll([
    ...(await readPartition(keys.workspace(workspace).pk)),
    ...(await readPartition(keys.account(account).pk)),
  ]);
  await admin('import', file);
};

/** Loses a payment request, and restores it from another table. */
export const restoreTable = async ({ admin }: ReleaseStage, paymentRequest = ''): Promise<void> => {
  const restored = `${table()}-restored`;
  await createTable(restored);
  await putAll(await Array.fromAsync(scan()), restored);
  await removeAll(await readPartition(keys.paymentRequest(paymentRequest).pk));
  await admin('restore', '--from', restored, '--at', new Date().toISOString(), '--yes');
};

/**
 * Gives up messages of each queue, and acts on some of them.
 *
 * @returns those that are left
 */
export const giveUpMessages = async (
  { service, admin }: ReleaseStage,
  { workspace }: Company,
  client: Client,
  offers: Readonly<Record<string, string>>,
): Promise<FrozenMessage[]> => {
  const [redriven, givenUp] = ['Redriven', 'Given up'];
  const { dead = '', discarded = '', reported = '' } = offers;
  for (const about of [redriven, givenUp]) {
    service.dynamodb.inject({ operation: 'TransactWriteItems', about, fault: refused });
    await client.send('createSandbox', { name: about });
  }
  for (const id of [dead, discarded, reported]) {
    service.dynamodb.inject({ operation: 'UpdateItem', about: id, fault: refused });
  }
  for (const id of [dead, discarded]) await client.send('resendOffer', { id });
  const attempt = (await attemptsIn('sent')).find(({ offer }) => offer === reported);
  service.stack.queues.send(service.queue('MailEventsQueue'), {
    body: mailEvent({ offer: reported, id: String(attempt?.id) }, 'delivery', workspace),
  });
  const orphans = [orphanedApproval(), orphanedApproval()];
  await putAll(orphans);
  await waitUntil(async () => {
    // Each message is received once before it is hidden again.
    await sleep(500);
    service.passTime();
    // What is published again becomes a dead letter again.
    return Object.entries(expectedLetters).every(
      ([queue, count]) =>
        service.stack.queues.attributes(service.queue(`${queue}DeadLetters`)).visible >= count,
    );
  });
  service.heal();
  await removeAll(orphans);

  const letters: readonly Letter[] = await admin('dead-letters', 'list', '--json');
  const letterAbout = (text: string) => letters.find(({ body }) => body.includes(text))?.id ?? '';
  const [sandbox] = await itemsOfType('SANDBOX', 'provisioning', redriven);
  await admin('dead-letters', 'redrive', letterAbout(String(sandbox?.id)));
  const gone = [letterAbout(discarded), letterAbout(String(orphans[0]?.payment_request))];
  await admin('dead-letters', 'discard', ...gone, '--yes');
  await waitUntil(async () => (await itemsOfType('SANDBOX', 'ready', redriven)).length === 1);
  const left: readonly Letter[] = await admin('dead-letters', 'list', '--json');
  return left.map(({ queue, body }) => ({ queue, body }));
};

interface Letter extends FrozenMessage {
  readonly id: string;
}

const refused = errorAnswer('AccessDeniedException');

/** By a part of the queue's name. */
const expectedLetters = { Provisioning: 2, Delivery: 2, MailEvents: 1, EventsPublisher: 2 };

/** An approval of no payment request: no event can be made of it. */
const orphanedApproval = () => ({
  ...approvalItem({
    id: `apprdec_${newOpaque()}`,
    payment_request: `ptr_${newOpaque()}`,
    approver: newOpaque(),
    created: new Date().toISOString(),
  }),
  author,
});

/** Looks at the table while a mail is being sent, and requests with a key are in progress. */
export const inTheMiddle = async <Result>(
  { service }: ReleaseStage,
  { manager }: Company,
  client: Client,
  { requests, offers }: Records,
  use: (inProgress: readonly Omit<KeyedRequest, 'token'>[]) => Promise<Result>,
): Promise<Result> => {
  const mail = service.ses.hold({ operation: 'SendEmail', about: 'held@example.com' });
  await client.send('resendOffer', { id: offers.held });
  const { pending = '' } = requests;
  const { waiting = '' } = offers;
  const begun: readonly [OperationId, object, string][] = [
    ['approvePaymentRequest', { id: pending, manager }, pending],
    ['createSandbox', { name: 'In progress' }, 'In progress'],
    ['resendOffer', { id: waiting }, waiting],
  ];
  const writes = begun.map(([operation, target, about]) => {
    const { held, release } = service.dynamodb.hold({ operation: 'TransactWriteItems', about });
    const answer = client.send(operation, target, { key: `in-progress-${operation}` });
    return { held, release, answer };
  });
  await Promise.all([mail, ...writes].map(({ held }) => held));
  try {
    return await use(
      begun.map(([operation, target]) => ({
        operation,
        ...requestOf(operation, target),
        key: `in-progress-${operation}`,
      })),
    );
  } finally {
    mail.release();
    for (const { release } of writes) release();
    await Promise.all(writes.map(({ answer }) => answer));
  }
};
