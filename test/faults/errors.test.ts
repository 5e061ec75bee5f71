import { describe, expect, test } from 'vitest';
import { errorAnswer } from '../support/fault-proxy.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { operations, type PreparedRequest } from '../support/prepared-requests.ts';

const { faulty, tenant, ask, askUntilFree } = useFaultyStack();

const statuses = {
  unavailable: 503,
  outcome_unknown: 504,
  internal_error: 500,
  idempotency_key_in_use: 409,
} as const;
type Code = keyof typeof statuses;

/** The answer to each error that DynamoDB documents for reads and writes of items. */
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

describe.each([
  ['without a key', false],
  ['with a key', true],
] as const)('%s', (_, keyed) => {
  describe.each(operations)('$name', ({ name, route, prepare }) => {
    const single = !keyed && (name === 'create' || name === 'approve again');
    const operation = single ? 'PutItem' : 'TransactWriteItems';
    const answers = Object.entries({
      ...ofEveryEffect,
      ...(single ? ofSingleItems : ofTransactions),
    });

    // On a starved machine the reply to the write of the key's record may be late, and the key
    // held.
    const send = (intent: PreparedRequest) =>
      keyed ? askUntilFree(intent, intent.about) : ask(intent);

    test(`answers each error of ${operation}`, async () => {
      const all = answers.map(async ([type]) => {
        const intent = await prepare(tenant);
        faulty.dynamodb.inject({ operation, about: intent.about, fault: errorAnswer(type) });
        const { status, body } = await send(intent);
        return [type, status, body.code, await intent.effects()];
      });
      expect(await Promise.all(all)).toEqual(
        answers.map(([type, code]) => [type, statuses[code], code, []]),
      );
    });

    test.each(retried[operation])('retries %s', async (type) => {
      const intent = await prepare(tenant);
      faulty.dynamodb.inject({
        operation,
        about: intent.about,
        calls: [1, 2],
        fault: errorAnswer(type),
      });
      expect((await send(intent)).status).toBe(route.status);
      expect(await intent.effects()).toHaveLength(1);
    });
  });
});

const firstCalls = [
  ['resend', 'GetItem', false],
  ['approve', 'Query', false],
  ['approve', 'GetItem', false],
  ['create', 'PutItem', true],
  ['resend', 'PutItem', true],
  ['approve', 'PutItem', true],
] as const;

test.each(firstCalls)(
  '%s answers each error of %s before its write (with a key: %s)',
  async (name, operation, keyed) => {
    const { prepare } = operations.find((each) => each.name === name) ?? {};
    const answers = Object.entries({
      ...ofEveryCall,
      ...(operation === 'PutItem' && {
        ...ofSingleItems,
        TransactionConflictException: 'idempotency_key_in_use' as const,
      }),
    });
    const all: unknown[] = [];
    // One after the other: the calls before the write do not all name what the request is about.
    for (const [type] of answers) {
      const intent = await prepare?.(tenant);
      if (!intent) throw new Error(`There is no operation ${name}.`);
      faulty.dynamodb.inject({
        operation,
        // The record of a key names nothing but its hash. The authorizer only reads.
        ...(operation !== 'PutItem' && { about: intent.about }),
        fault: errorAnswer(type),
      });
      const { status, body } = await ask(intent, keyed ? intent.about : undefined);
      faulty.heal();
      all.push([type, status, body.code, await intent.effects()]);
    }
    expect(all).toEqual(answers.map(([type, code]) => [type, statuses[code], code, []]));
  },
);
