import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { errorAnswer } from '../support/fault-proxy.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { operations } from '../support/prepared-requests.ts';

// A separate stack with the right clock: the SDK retries errors of a server whose clock differs by
// more than five minutes.
const { faulty, tenant, ask } = useFaultyStack();

test('a request that was answered 503 for want of time changes nothing later', async () => {
  const [resend] = operations;
  const intent = await resend?.prepare(tenant);
  if (!resend || !intent) throw new Error('There is no such operation.');
  // Three tries conflict, slowly; in the fourth the function waits for DynamoDB when its time is
  // up.
  const about = intent.about;
  faulty.dynamodb.inject({
    operation: 'TransactWriteItems',
    about,
    calls: [1, 2, 3],
    fault: errorAnswer('TransactionCanceledException:TransactionConflict'),
  });
  faulty.dynamodb.inject({
    operation: 'GetItem',
    about,
    calls: [1, 2, 3],
    fault: { kind: 'delayReply', delayMs: 1700 },
  });
  const { release } = faulty.dynamodb.hold({ operation: 'GetItem', about });

  const { status, body } = await ask(intent);
  const calls = faulty.dynamodb.seen.length;
  release();
  await sleep(3000);

  expect([status, body.code]).toEqual([503, 'unavailable']);
  expect(faulty.dynamodb.seen).toHaveLength(calls);
  expect(await intent.effects()).toEqual([]);
});
