import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../../bin/openapi/send-request.ts';
import { type CallFault, errorAnswer } from '../support/fault-proxy.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import {
  operations,
  type PreparableOperation,
  type PreparedRequest,
} from '../support/prepared-requests.ts';

const { faulty, tenant, ask, askUntilFree } = useFaultyStack();

/** The effect is committed, and DynamoDB's client gets no reply. */
const losses: [string, CallFault][] = [
  ['is dropped', { kind: 'loseReply' }],
  ['is truncated', { kind: 'truncateReply' }],
  ['is late', { kind: 'delayReply', delayMs: 2500 }],
  ['is an internal error', { kind: 'failReply', status: 500, type: 'InternalServerError' }],
  ['is an unavailable service', { kind: 'failReply', status: 503, type: 'ServiceUnavailable' }],
];

const writes = ['PutItem', 'TransactWriteItems'] as const;

const injectWrite = ({ about }: PreparedRequest, fault: CallFault, calls?: readonly number[]) => {
  for (const operation of writes) {
    faulty.dynamodb.inject({ operation, about, fault, ...(calls && { calls }) });
  }
};

const expectUnknown = ({ status, body, headers }: Answer, keyed: boolean) => {
  expect([status, body.code]).toEqual([504, 'outcome_unknown']);
  expect(headers.get('retry-after')).toBeNull();
  expect(body.detail).not.toMatch(/nothing was changed/i);
  expect(body.detail).toMatch(keyed ? /again with the same Idempotency-Key/ : /^.*Check/);
};

const expectNotDone = ({ status, body, headers }: Answer) => {
  expect([status, body.code]).toEqual([503, 'unavailable']);
  expect(headers.get('retry-after')).toBe('1');
  expect(body.detail).toMatch(/Nothing was changed/);
};

/** With the same key it is one effect, whether or not the first try was committed. */
const expectOneInTheEnd = async (
  intent: PreparedRequest,
  { route, effectOf }: PreparableOperation,
  key: string,
) => {
  const again = await askUntilFree(intent, key);
  expect(again.status).toBe(route.status);
  expect(await intent.effects()).toEqual([effectOf(again.body)]);
};

describe.each(operations)('$name, of whose tries one is lost,', (operation) => {
  const { prepare, route } = operation;

  // New instances: each client of the SDK has a budget of retries (500 units, a retry costs 14),
  // which other tests use up.
  beforeAll(() => Promise.all(faulty.stack.functions.values().map((each) => each.update({}))));

  test('is answered as done whatever becomes of the first reply', async () => {
    const outcomes = losses.map(async ([name, fault]) => {
      const intent = await prepare(tenant);
      injectWrite(intent, fault, [1]);
      const answer = await ask(intent);
      return [name, answer.status, (await intent.effects()).length];
    });
    expect(await Promise.all(outcomes)).toEqual(losses.map(([name]) => [name, route.status, 1]));
  });

  test.each([
    ['was throttled', 1, errorAnswer('ThrottlingException')],
    ['was cancelled by another transaction', 1, conflict(operation)],
    ['never came', 0, errorAnswer('ThrottlingException')],
  ])(
    'is unknown when one try was lost, although the last one %s',
    async (_, effects, lastAnswer) => {
      const intent = await prepare(tenant);
      injectWrite(intent, effects ? { kind: 'loseReply' } : { kind: 'reset' }, [1]);
      injectWrite(intent, lastAnswer);
      expectUnknown(await ask(intent), false);
      expect(await intent.effects()).toHaveLength(effects);
    },
  );
});

describe.each(operations)('$name', (operation) => {
  const { prepare } = operation;

  /** Loses every reply to the writes of an intent for each kind of loss. */
  const loseReplies = (keyed: boolean): Promise<PreparedRequest[]> =>
    Promise.all(
      losses.map(async ([, fault]) => {
        const intent = await prepare(tenant);
        injectWrite(intent, fault);
        expectUnknown(await ask(intent, keyed ? intent.about : undefined), keyed);
        expect(await intent.effects()).toHaveLength(1);
        return intent;
      }),
    );

  test('is unknown when every reply to the write is lost, and with a key safe to send again', async () => {
    const keyed = await loseReplies(true);
    await loseReplies(false);
    faulty.heal();
    await Promise.all(keyed.map((intent) => expectOneInTheEnd(intent, operation, intent.about)));
  });

  test('is unknown when the time is up while a write is under way', async () => {
    const [unkeyed, keyed] = [await prepare(tenant), await prepare(tenant)];
    for (const intent of [unkeyed, keyed]) {
      // Conflicts use up some of the time; the next write is done and its reply held back.
      injectWrite(intent, { ...conflict(operation), delayMs: 1900 } as CallFault, [1, 2]);
      injectWrite(intent, { kind: 'delayReply', delayMs: 5000 });
    }
    const answers = await Promise.all([ask(unkeyed), ask(keyed, keyed.about)]);
    expectUnknown(answers[0], false);
    expectUnknown(answers[1], true);
    // On a starved machine the write may be aborted before it was sent.
    expect((await unkeyed.effects()).length).toBeLessThanOrEqual(1);
    faulty.heal();
    await expectOneInTheEnd(keyed, operation, keyed.about);
  });

  test.each([
    ['reads it', ['GetItem', 'Query']],
    ['begins the record of its key', ['PutItem']],
  ] as const)('is not done when DynamoDB drops every reply before %s', async (_, reads) => {
    const intent = await prepare(tenant);
    const { about } = intent;
    if (reads.includes('PutItem' as never)) {
      const begins = { operation: 'PutItem', about: 'in_progress_expiration' };
      faulty.dynamodb.inject({ ...begins, fault: { kind: 'loseReply' } });
      expectNotDone(await ask(intent, about));
    } else if (operation.name !== 'create') {
      for (const each of reads) {
        faulty.dynamodb.inject({ operation: each, about, fault: { kind: 'truncateReply' } });
      }
      expectNotDone(await ask(intent));
    }
    expect(await intent.effects()).toEqual([]);
  });
});

/** What DynamoDB answers to this operation's write while another transaction holds an item. */
const conflict = ({ name }: PreparableOperation): CallFault =>
  errorAnswer(
    name === 'create' || name === 'approve again'
      ? 'TransactionConflictException'
      : 'TransactionCanceledException:TransactionConflict',
  );
