import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { type CallFault, errorResponse } from '../support/fault-proxy.ts';
import { test as base } from '../support/faulty-stack.ts';
import {
  type KeyedOperation,
  keyedOperations,
  type PreparedRequest,
} from '../support/keyed-operations.ts';
import type { Response } from '../support/send-request.ts';

/** The effect is committed, and DynamoDB's client gets no response. */
const losses: [string, CallFault][] = [
  ['is dropped', { kind: 'loseResponse' }],
  ['is truncated', { kind: 'truncateResponse' }],
  ['is late', { kind: 'delayResponse', delayMs: 2500 }],
  ['is an internal error', { kind: 'failResponse', status: 500, type: 'InternalServerError' }],
  ['is an unavailable service', { kind: 'failResponse', status: 503, type: 'ServiceUnavailable' }],
];

const writes = ['PutItem', 'TransactWriteItems'] as const;

// The clock stays right: the SDK retries errors of a server whose clock differs by more than five
// minutes.
const test = base
  .extend(
    'injectWrite',
    ({ faulty }) =>
      ({ about }: PreparedRequest, fault: CallFault, calls?: readonly number[]) => {
        for (const operation of writes) {
          faulty.dynamodb.inject({ operation, about, fault, ...(calls && { calls }) });
        }
      },
  )
  /** With the same key it is one effect, whether or not the first try was committed. */
  .extend(
    'expectOneInTheEnd',
    ({ askUntilFree }) =>
      async ({ route, effectOf }: KeyedOperation, intent: PreparedRequest) => {
        const again = await askUntilFree(intent, intent.about);
        expect(again.status).toBe(route.status);
        expect(await intent.effects()).toEqual([effectOf(again.body)]);
      },
  );

const expectUnknown = ({ status, body, headers }: Response) => {
  expect([status, body.code]).toEqual([504, 'outcome_unknown']);
  expect(headers.get('retry-after')).toBeNull();
  expect(body.detail).not.toMatch(/nothing was changed/i);
  expect(body.detail).toMatch(/again with the same Idempotency-Key: .* Check whether/);
};

const expectNotDone = ({ status, body, headers }: Response) => {
  expect([status, body.code]).toEqual([503, 'unavailable']);
  expect(headers.get('retry-after')).toBe('1');
  expect(body.detail).toMatch(/Nothing was changed/);
};

/** Does the same with each operation at once: most of the time is spent waiting. */
const withEach = <Result>(run: (operation: KeyedOperation) => Promise<Result>) =>
  Promise.all(keyedOperations.map(run));

describe('a request of whose tries one is lost', () => {
  // New instances: each client of the SDK has a budget of retries (500 units, a retry costs 14),
  // which other tests use up.
  test.beforeAll(({ faultyService }) =>
    Promise.all(faultyService.stack.functions.values().map((each) => each.update({}))),
  );

  test.for(losses)(
    'is reported as done when its first response %s',
    async ([, fault], { tenant, ask, injectWrite }) => {
      const responses = withEach(async ({ name, prepare }) => {
        const intent = await prepare(tenant);
        injectWrite(intent, fault, [1]);
        const { status } = await ask(intent);
        return [name, status, (await intent.effects()).length];
      });
      expect(await responses).toEqual(
        keyedOperations.map(({ name, route }) => [name, route.status, 1]),
      );
    },
  );
});

describe('a request', () => {
  test.for([
    ['without a key', false],
    ['with a key, which is safe to send again,', true],
  ] as const)(
    '%s is unknown when every response to the write is lost',
    async ([, keyed], { faulty, tenant, ask, injectWrite, expectOneInTheEnd }) => {
      const intents = await withEach(({ prepare }) =>
        Promise.all(
          losses.map(async ([, fault]) => {
            const intent = await prepare(tenant);
            injectWrite(intent, fault);
            expectUnknown(await ask(intent, keyed ? intent.about : undefined));
            expect(await intent.effects()).toHaveLength(1);
            return intent;
          }),
        ),
      );
      faulty.heal();
      if (!keyed) return;
      for (const [index, operation] of keyedOperations.entries()) {
        for (const intent of intents[index] ?? []) await expectOneInTheEnd(operation, intent);
      }
    },
  );

  test('is not done when DynamoDB drops every response before it begins the record of its key', async ({
    faulty,
    tenant,
    ask,
  }) => {
    faulty.dynamodb.inject({
      operation: 'PutItem',
      about: 'in_progress_expiration',
      fault: { kind: 'loseResponse' },
    });
    await withEach(async ({ prepare }) => {
      const intent = await prepare(tenant);
      expectNotDone(await ask(intent, intent.about));
      expect(await intent.effects()).toEqual([]);
    });
  });

  test('is not done or unknown when its time is up in a read or its write, and sends no more', async ({
    faulty: { dynamodb },
    tenant,
    ask,
  }) => {
    const cases = [
      ['GetItem', expectNotDone],
      ['TransactWriteItems', expectUnknown],
    ] as const;
    const ends = cases.map(async ([operation, expectEnd]) => {
      const intent = await keyedOperations[0]?.prepare(tenant);
      if (!intent) throw new Error('There is no such operation.');
      const { about } = intent;
      // Three tries conflict, slowly. In the fourth a call hangs, which the SDK would send again.
      const calls = [1, 2, 3];
      const conflict = errorResponse('TransactionCanceledException:TransactionConflict');
      dynamodb.inject({ operation: 'TransactWriteItems', about, calls, fault: conflict });
      const slowly = { kind: 'delayResponse', delayMs: 1700 } as const;
      dynamodb.inject({ operation: 'GetItem', about, calls, fault: slowly });
      const { release } = dynamodb.hold({ operation, about });

      const response = await ask(intent);
      const callsSeen = () => dynamodb.seen.filter(({ body }) => body.includes(about)).length;
      const seen = callsSeen();
      await sleep(3000);
      release();

      expectEnd(response);
      expect(callsSeen()).toBe(seen);
    });
    await Promise.all(ends);
  });
});
