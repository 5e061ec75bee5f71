import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { operations } from '../support/operations.ts';

// A stack of its own, whose clock is right: to errors of a server whose clock differs by more than
// five minutes the SDK answers with a retry of its own.
const { faulty, tenant, ask } = useFaultyStack();

test('a request that was answered 503 for want of time changes nothing later', async () => {
  const [resend] = operations;
  const intent = await resend?.prepare(tenant);
  if (!resend || !intent) throw new Error('There is no such operation.');
  // Three tries conflict, slowly; in the fourth the function waits for DynamoDB when its time is
  // up.
  const about = intent.about;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  faulty.dynamodb.inject({
    operation: 'TransactWriteItems',
    about,
    calls: [1, 2, 3],
    fault: {
      kind: 'answer',
      status: 400,
      type: 'TransactionCanceledException:TransactionConflict',
    },
  });
  faulty.dynamodb.inject({
    operation: 'GetItem',
    about,
    calls: [1, 2, 3],
    fault: { kind: 'delayReply', delayMs: 1700 },
  });
  faulty.dynamodb.inject({ operation: 'GetItem', about, fault: { kind: 'hold', released } });

  const { status, body } = await ask(intent);
  const calls = faulty.dynamodb.seen.length;
  release();
  await sleep(3000);

  expect([status, body.code]).toEqual([503, 'unavailable']);
  expect(faulty.dynamodb.seen).toHaveLength(calls);
  expect(await intent.effects()).toEqual([]);
});
