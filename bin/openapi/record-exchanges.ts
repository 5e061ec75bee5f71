import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../functions/domain/routes.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import { type OperationId, operationIds } from '../../lib/openapi/operations.ts';
import { demo } from '../demo-data.ts';
import { type Ask, ask, wanted } from './ask.ts';

/** Requests with faults. */
const faulty: Record<OperationId, Ask> = {
  approvePaymentRequest: { body: { approver: 'me', reason: '' } },
  createSandbox: { body: { name: '', colour: 'blue' } },
  listSandboxes: { path: '/v1/sandboxes?limit=1000&offset=3' },
  resendOffer: { body: { to: 'me@example.com' } },
};
/** The keys of the first successes, and what each of them does not stand for. */
const keys = {
  approvePaymentRequest: 'my-first-approval',
  createSandbox: 'my-first-sandbox',
  resendOffer: 'my-first-resend',
};
const different: Record<keyof typeof keys, Ask> = {
  approvePaymentRequest: { body: { approver: demo.managers.live[1] } },
  createSandbox: { body: { name: 'Another sandbox' } },
  resendOffer: { path: `/v1/offers/${demo.offers.accepted}/resend` },
};

/**
 * Asks for every success, and for every problem that a client can bring about alone. The demo data
 * must be fresh: the answers are then the same but for identifiers and times.
 */
export const recordExchanges = async (url: string): Promise<Exchange[]> => {
  const record = (operation: OperationId, name: string, asked?: Ask) =>
    ask(url, operation, name, asked);
  return [
    ...(await successes(record, url)),
    ...(await Promise.all(operationIds.flatMap((operation) => commonProblems(record, operation)))),
    ...(await keyProblems(record)),
    ...(await Promise.all(ownProblems(record))),
  ];
};

type Recorder = (operation: OperationId, name: string, asked?: Ask) => Promise<Exchange>;

const successes = async (record: Recorder, url: string): Promise<Exchange[]> => {
  const created = await record('createSandbox', 'created', { key: keys.createSandbox });
  await record('createSandbox', 'created', { body: { name: 'My second sandbox' } });
  await untilReady(url);
  const page = await record('listSandboxes', 'page');
  const { cursor } = page.response.body as { cursor: string };
  return [
    await record('approvePaymentRequest', 'approved', { key: keys.approvePaymentRequest }),
    created,
    page,
    await record('listSandboxes', 'last_page', { path: `/v1/sandboxes?cursor=${cursor}` }),
    await record('resendOffer', 'resent', { key: keys.resendOffer }),
  ];
};

const untilReady = async (url: string): Promise<void> => {
  const { response } = await ask(url, 'listSandboxes', 'all', { path: '/v1/sandboxes' });
  const { sandboxes } = response.body as { sandboxes: { status: string }[] };
  if (sandboxes.every(({ status }) => status === 'ready')) return;
  await sleep(100);
  await untilReady(url);
};

const commonProblems = (record: Recorder, operation: OperationId): Promise<Exchange>[] => {
  const { path = routes[operation].path } = wanted[operation];
  const large = { raw: `{}${' '.repeat(64 * 1024)}` };
  return [
    record(operation, 'invalid_request', faulty[operation]),
    record(operation, 'unauthenticated', { token: null }),
    record(operation, 'insufficient_scope', { token: demo.tokens.no_scopes }),
    record(operation, 'route_not_found', { path: path.replace('/v1/', '/v2/') }),
    record(operation, 'method_not_allowed', { method: 'DELETE', body: undefined }),
    ...(routes[operation].workspaces === 'live'
      ? [record(operation, 'live_workspace_required', { token: demo.tokens.test })]
      : []),
    ...(routes[operation].method === 'POST'
      ? [
          record(operation, 'body_too_large', large),
          record(operation, 'unsupported_media_type', { raw: 'name=x', contentType: 'text/plain' }),
          record(operation, 'invalid_idempotency_key', { key: 'x'.repeat(256) }),
        ]
      : []),
  ];
};

const keyProblems = async (record: Recorder): Promise<Exchange[]> => {
  const all: Exchange[] = [];
  for (const operation of Object.keys(keys) as (keyof typeof keys)[]) {
    const reused = { ...different[operation], key: keys[operation] };
    all.push(await record(operation, 'idempotency_key_reused', reused));
    all.push(await inUse(record, operation));
  }
  return all;
};

/** Of many requests at once with one key, all but the first find it in use. */
const inUse = async (record: Recorder, operation: OperationId): Promise<Exchange> => {
  const key = `crowd-${crypto.randomUUID().slice(0, 8)}`;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => record(operation, 'idempotency_key_in_use', { key })),
  );
  return answers.find(({ response }) => response.status === 409) ?? inUse(record, operation);
};

const ownProblems = (record: Recorder): Promise<Exchange>[] => {
  const list = (name: string, query: string) =>
    record('listSandboxes', name, { path: `/v1/sandboxes?${query}` });
  const missing = 'sbx_01ARZ3NDEKTSV4RRFFQ69G5FAV';
  return [
    record('approvePaymentRequest', 'not_a_manager', {
      body: { approver: demo.managers.other[0] },
    }),
    record('approvePaymentRequest', 'payment_request_not_found', {
      path: '/v1/payment-requests/ptr_unknown/approve',
    }),
    list('conflicting_parameters', `starting_after=${missing}&ending_before=${missing}`),
    list('invalid_cursor', 'cursor=nonsense'),
    list('resource_missing', `starting_after=${missing}`),
    record('resendOffer', 'offer_not_found', { path: '/v1/offers/ofr_unknown/resend' }),
    record('resendOffer', 'offer_not_sent', { path: `/v1/offers/${demo.offers.draft}/resend` }),
  ];
};
