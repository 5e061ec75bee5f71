import { describe, expect } from 'vitest';
import { inParallel } from '../../bin/admin/table/in-parallel.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { errorResponse } from '../support/fault-proxy.ts';
import { test as base } from '../support/faulty-stack.ts';
import {
  type KeyedOperation,
  keyedOperations,
  type PreparedRequest,
} from '../support/keyed-operations.ts';

const statuses = {
  unavailable: 503,
  outcome_unknown: 504,
  internal_error: 500,
  idempotency_key_in_use: 409,
} as const;
type Code = keyof typeof statuses;

/** What nothing was changed by can be tried again. */
const retryAfter = (code: Code) => (statuses[code] === 503 || statuses[code] === 409 ? '1' : null);

/** The response to each error that DynamoDB documents for reads and writes of items. */
const ofEveryCall: Record<string, Code> = {
  InternalServerError: 'unavailable',
  ServiceUnavailable: 'unavailable',
  ProvisionedThroughputExceededException: 'unavailable',
  RequestLimitExceeded: 'unavailable',
  ThrottlingException: 'unavailable',
  AccessDeniedException: 'internal_error',
  ResourceNotFoundException: 'internal_error',
  UnrecognizedClientException: 'internal_error',
  ValidationException: 'internal_error',
};
/** The same for the write that makes the effect: after a 5xx it may have been done. */
const ofEveryEffect: Record<string, Code> = {
  ...ofEveryCall,
  InternalServerError: 'outcome_unknown',
  ServiceUnavailable: 'outcome_unknown',
};
const ofSingleItems: Record<string, Code> = {
  ItemCollectionSizeLimitExceededException: 'internal_error',
  ReplicatedWriteConflictException: 'unavailable',
};
const ofTransactions: Record<string, Code> = {
  IdempotentParameterMismatchException: 'internal_error',
  // An earlier try is being carried out.
  TransactionInProgressException: 'outcome_unknown',
  'TransactionCanceledException:ItemCollectionSizeLimitExceeded': 'internal_error',
  'TransactionCanceledException:ProvisionedThroughputExceeded': 'unavailable',
  'TransactionCanceledException:ThrottlingError': 'unavailable',
  'TransactionCanceledException:ValidationError': 'internal_error',
};
/** Another request writes the item: the function retries until that one is done. */
const retried = {
  PutItem: ['TransactionConflictException'],
  TransactWriteItems: [
    'TransactionCanceledException:ConditionalCheckFailed',
    'TransactionCanceledException:TransactionConflict',
  ],
} as const;

const writeOf = ({ name }: KeyedOperation, keyed: boolean) =>
  !keyed && (name === 'create' || name === 'approve-again') ? 'PutItem' : 'TransactWriteItems';

/** The calls before the write of a request without a key, by the operation's name. */
const reads: Readonly<Record<string, readonly string[]>> = {
  resend: ['GetItem'],
  approve: ['Query'],
};

/** The calls of an operation, each with the responses to its errors. */
const callsOf = (operation: KeyedOperation, keyed: boolean) => {
  const write = writeOf(operation, keyed);
  const ofWrite = write === 'PutItem' ? ofSingleItems : ofTransactions;
  const ofRecord = { ...ofSingleItems, TransactionConflictException: 'idempotency_key_in_use' };
  const before = keyed
    ? [{ call: 'PutItem', responses: { ...ofEveryCall, ...ofRecord } }]
    : (reads[operation.name] ?? []).map((call) => ({ call, responses: ofEveryCall }));
  return [...before, { call: write, responses: { ...ofEveryEffect, ...ofWrite } }].map((each) => ({
    ...each,
    operation,
    keyed,
  }));
};

/** So few of each call that a function needs no more instances than it can have. */
const atATime = 3;

const test = base
  // On a starved machine the response to the write of the key's record may be late, and the key
  // held.
  .extend(
    'askOnce',
    ({ ask, askUntilFree }) =>
      (intent: PreparedRequest, keyed: boolean) =>
        keyed ? askUntilFree(intent, intent.about) : ask(intent),
  )
  /** What becomes of each of these errors of a call. */
  .extend(
    'responsesTo',
    ({ faulty, tenant, ask, askOnce }) =>
      ({
        operation: { prepare, route },
        call,
        responses,
        keyed,
      }: ReturnType<typeof callsOf>[number]) =>
        Array.fromAsync(
          inParallel(Object.keys(responses), atATime, async (type) => {
            const intent = await prepare(tenant);
            const { about } = intent;
            const { workspace } = tenant;
            const isRecord = keyed && call === 'PutItem';
            // The record of a key names nothing but its hash.
            const record = claimKey({ workspace, endpoint: route.functionName, key: about }).pk;
            faulty.dynamodb.inject({
              operation: call,
              about: isRecord ? record : about,
              fault: errorResponse(type),
            });
            const response = isRecord ? ask(intent, about) : askOnce(intent, keyed);
            const { status, body, headers } = await response;
            return [type, status, body.code, headers.get('retry-after'), await intent.effects()];
          }),
        ),
  );

describe.each([
  ['without a key', false],
  ['with a key', true],
] as const)('every POST %s', (_, keyed) => {
  test('returns each error of each of its calls', async ({ responsesTo }) => {
    // One operation after another: with all at once, a busy machine keeps an error from its
    // function for longer than a try may take, and the next try comes after one whose outcome is
    // unknown.
    for (const operation of keyedOperations) {
      const calls = callsOf(operation, keyed);
      const all = await Promise.all(calls.map(responsesTo));
      for (const [index, { call, responses }] of calls.entries()) {
        expect([operation.name, call, ...(all[index] ?? [])]).toEqual([
          operation.name,
          call,
          ...(Object.entries(responses) as [string, Code][]).map(([type, code]) => [
            type,
            statuses[code],
            code,
            retryAfter(code),
            [],
          ]),
        ]);
      }
    }
  });

  test('retries its write while another request writes the item', async ({
    faulty,
    tenant,
    askOnce,
  }) => {
    const tried = keyedOperations.flatMap((operation) => {
      const write = writeOf(operation, keyed);
      return retried[write].map(async (type) => {
        const intent = await operation.prepare(tenant);
        const { about } = intent;
        const calls = [1, 2, 3];
        faulty.dynamodb.inject({ operation: write, about, calls, fault: errorResponse(type) });
        const { status } = await askOnce(intent, keyed);
        expect([operation.name, status]).toEqual([operation.name, operation.route.status]);
        expect(await intent.effects()).toHaveLength(1);
      });
    });
    await Promise.all(tried);
  });
});
