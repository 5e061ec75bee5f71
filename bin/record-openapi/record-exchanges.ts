import { setTimeout as sleep } from 'node:timers/promises';
import { demo } from '../../functions/contract/demo.ts';
import { type Operation, type OperationId, pathOf } from '../../functions/contract/operation.ts';
import { bodyLimitBytes } from '../../functions/domain/body-limit.ts';
import { routes } from '../../functions/domain/routes.ts';
import { newStamp } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import type { Exchange } from '../../lib/openapi/examples.ts';
import { operationIds, operations, requestOf } from '../../lib/openapi/operations.ts';
import { author } from '../../test/support/test-author.ts';
import { samplePaymentRequest } from '../local-run/sample-items.ts';
import type { Recorder } from './send-recorded.ts';

/**
 * Requests every success, and every problem that a client can cause alone. The demo data must be
 * fresh: the responses are then the same but for identifiers and times.
 */
export const recordExchanges = async (record: Recorder): Promise<Exchange[]> => [
  ...(await successes(record)),
  ...(await Promise.all(operationIds.flatMap((operation) => commonProblems(record, operation)))),
  ...(await keyProblems(record)),
  ...(await Promise.all(ownProblems(record))),
  await tooLarge(record),
];

const successes = async (record: Recorder): Promise<Exchange[]> => {
  const all: Exchange[] = [];
  for (const operation of operationIds) {
    const { name, further = {}, keyed }: Operation['examples'] = operations[operation].examples;
    const first = await record(operation, name, keyed && { key: keyed.key });
    all.push(first);
    for (const [other, next] of Object.entries(further)) {
      all.push(await record(operation, other, { target: next(first.response.body) }));
    }
    if (operation === 'createSandbox') {
      // So that the list has a second page.
      await record(operation, 'another', { target: { name: 'My second sandbox' } });
      await untilReady(record);
    }
  }
  return all;
};

const untilReady = async (record: Recorder): Promise<void> => {
  const { response } = await record('listSandboxes', 'all', { target: {} });
  const { sandboxes } = response.body as { sandboxes: { status: string }[] };
  if (sandboxes.every(({ status }) => status === 'ready')) return;
  await sleep(100);
  await untilReady(record);
};

const commonProblems = (record: Recorder, operation: OperationId): Promise<Exchange>[] => {
  const path = pathOf(routes[operation], requestOf(operation));
  const { faulty } = operations[operation].examples;
  const plain = { 'Content-Type': 'text/plain' };
  const large = { raw: `{}${' '.repeat(bodyLimitBytes)}` };
  return [
    record(operation, 'invalid_request', faulty),
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
          record(operation, 'unsupported_media_type', { raw: 'name=x', headers: plain }),
          record(operation, 'invalid_idempotency_key', { key: 'x'.repeat(256) }),
        ]
      : []),
  ];
};

const keyProblems = async (record: Recorder): Promise<Exchange[]> => {
  const all: Exchange[] = [];
  for (const operation of operationIds) {
    const { keyed }: Operation['examples'] = operations[operation].examples;
    if (!keyed) continue;
    const reused = { target: keyed.different, key: keyed.key };
    all.push(await record(operation, 'idempotency_key_reused', reused));
    all.push(await inUse(record, operation));
  }
  return all;
};

/** Of many requests at once with one key, all but the first find it in use. */
const inUse = async (record: Recorder, operation: OperationId): Promise<Exchange> => {
  const key = `crowd-${crypto.randomUUID().slice(0, 8)}`;
  const responses = await Promise.all(
    Array.from({ length: 10 }, () => record(operation, 'idempotency_key_in_use', { key })),
  );
  return responses.find(({ response }) => response.status === 409) ?? inUse(record, operation);
};

const ownProblems = (record: Recorder): Promise<Exchange>[] =>
  operationIds.flatMap((operation) =>
    Object.entries(operations[operation].problems)
      .filter(([, target]) => target !== null)
      .map(([code, target]) => record(operation, code, { target })),
  );

/** Each quotation mark is one byte in the table, and two in the JSON of a saved response. */
const tooLarge = async (record: Recorder): Promise<Exchange> => {
  const { opaque, created } = newStamp();
  const id = `ptr_${opaque}`;
  const documents = ['"'.repeat(210_000)];
  const request = samplePaymentRequest({ id, worker: 'wr_1', reference: id, documents, created });
  await commitNew({ ...paymentRequestItem(demo.workspaces.live, request), author });
  const target = { id, manager: demo.managers.live[0] };
  return record('approvePaymentRequest', 'response_too_large', { target, key: 'too-large' });
};
