import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { scanType } from '../../bin/admin/table/scan.ts';
import { maximumRecordBytes } from '../../functions/domain/record.ts';
import { routes } from '../../functions/domain/routes.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { putAll } from '../support/put-all.ts';
import { approvalBy, newPaymentRequest } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { type FunctionResponse, responseOf } from './responses.ts';

const { clock, deployed, tenant } = await useFunctions();
// A busy machine may read so many approvals for longer than the function has.
const approve = deployed(routes.approvePaymentRequest.functionName, {}, { timeoutMs: 60_000 });
const body = { approver: tenant.manager };

/** A payment request with so many approvals, how to approve it, and the approvals in the table. */
const approvedOften = async (count: number, documents: unknown[] = []) => {
  const { id } = await newPaymentRequest(tenant.workspace, { status: 'approved', documents });
  const startMs = Date.now() - 24 * 60 * 60 * 1000;
  const put = (times: readonly number[]) =>
    putAll(
      times.map((ms) =>
        approvalItem(approvalBy(tenant.manager, id, { id: `apprdec_${ulid(ms)}` })),
      ),
    );
  await put(Array.from({ length: count }, (_, index) => startMs + index));
  /** Sends again what gets 503 or 504: with a key, that is one approval. */
  const send = async (key?: string): Promise<FunctionResponse> => {
    const sent = { tenant, id, body, key };
    const response = await responseOf(approve, routes.approvePaymentRequest, sent);
    return response.status > 500 ? send(key) : response;
  };
  const inTable = async () =>
    (await Array.fromAsync(scanType('APPROVAL', { payment_request: id }))).length;
  return { send, inTable, putEarlier: () => put([startMs - 1]) };
};

test.each([0, 25, 26, 300, 1000, 12_500])(
  'a replay is the same bytes after %i approvals, also when an earlier one is committed late',
  async (count) => {
    const { send, putEarlier } = await approvedOften(count);
    const key = `after ${count}`;
    const first = await send(key);
    expect([first.status, first.body.approvals.length]).toEqual([200, count + 1]);
    await putEarlier();
    const replay = await send(key);
    expect(replay.headers['Idempotent-Replayed']).toBe('true');
    expect(replay.text).toBe(first.text);
    expect((await send(`later than ${key}`)).body.approvals).toHaveLength(count + 3);
  },
);

test('a response that an item cannot hold is refused before its effect, and the key is free', async () => {
  const large = await approvedOften(10_000, ['x'.repeat(maximumRecordBytes - 1000)]);
  const { status, body: problem } = await large.send('large');
  expect([status, problem.code]).toEqual([409, 'response_too_large']);
  expect(problem.detail).toContain('without a key');
  expect(await large.inTable()).toBe(10_000);
  expect((await large.send()).status).toBe(200);
  const small = await approvedOften(0);
  expect((await small.send('large')).status).toBe(200);
});

test('the largest response that is not refused fits into an item with the longest key', async () => {
  const lengthOf = ({ text }: { text: string }) => text.length;
  const key = 'k'.repeat(255);
  const empty = await (await approvedOften(0, [''])).send('empty');
  const left = 399 * 1024 - lengthOf(empty);
  // Half of them are quotation marks, which the table holds in one byte.
  const sized = (bytes: number) => [`${'"'.repeat(bytes >> 1)}${'x'.repeat(bytes & 1)}`];
  const refused = await (await approvedOften(0, sized(left + 1))).send(key);
  expect(refused.body.code).toBe('response_too_large');
  const { send } = await approvedOften(0, sized(left));
  const first = await send(key);
  expect([first.status, first.text.length]).toEqual([200, 399 * 1024]);
  expect((await send(key)).text).toBe(first.text);
});

test('a key is remembered for 29 days, and forgotten after 30', async () => {
  const dayMs = 24 * 60 * 60 * 1000;
  const { send, inTable } = await approvedOften(0);
  const first = await send('month');
  clock.advance(29 * dayMs);
  expect((await send('month')).text).toBe(first.text);
  clock.advance(dayMs + 1000);
  expect((await send('month')).body.approvals).toHaveLength(2);
  expect(await inTable()).toBe(2);
});
