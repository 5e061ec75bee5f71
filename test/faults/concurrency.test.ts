import { expect, test } from 'vitest';
import type { Answer } from '../../bin/openapi/send-request.ts';
import { keys } from '../../functions/store/keys.ts';
import { atOnce } from '../support/at-once.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { approve } from '../support/keyed-operations.ts';
import { itemsUnder } from '../support/prepared-requests.ts';
import { newManager, newPaymentRequest } from '../support/tenants.ts';

const { tenant, send } = useFaultyStack();

/**
 * Returns the answers with 200. All others must be `outcome_unknown`, from a busy machine: any
 * number of those requests took effect.
 */
const doneOf = (answers: readonly Answer[], made: number): Answer[] => {
  const done = answers.filter(({ status }) => status === 200);
  const unknown = answers.filter(({ body }) => body.code === 'outcome_unknown');
  expect(done.length + unknown.length).toBe(answers.length);
  expect(made).toBeGreaterThanOrEqual(done.length);
  expect(made).toBeLessThanOrEqual(answers.length);
  return done;
};

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

test('200 approvals at once by five managers are 200, and each is answered', async () => {
  const { id } = await newPaymentRequest(tenant.workspace);
  const managers = await Promise.all(times(5, () => newManager(tenant.account)));
  const answers = await atOnce(200, (index) =>
    send(approve, { id, manager: `${managers[index % 5]}` }),
  );
  const stored = (await itemsUnder(keys.approval(id, ''))).map((item) => item.id);
  const ids = doneOf(answers, stored.length).map(({ body }) => body.approvals.at(-1));
  expect(new Set(ids).size).toBe(ids.length);
  expect(stored).toEqual(expect.arrayContaining(ids));
});

test('one manager approves 300 requests at once', async () => {
  const requests: { id: string }[] = [];
  for (let count = 0; count < 300; count++) {
    requests.push(await newPaymentRequest(tenant.workspace));
  }
  const answers = await atOnce(300, (index) =>
    send(approve, { id: `${requests[index]?.id}`, manager: tenant.manager }),
  );
  let made = 0;
  for (const { id } of requests) {
    const stored = await itemsUnder(keys.approval(id, ''));
    expect(stored.length).toBeLessThanOrEqual(1);
    made += stored.length;
  }
  for (const { body } of doneOf(answers, made)) expect(body.approvals).toHaveLength(1);
});
