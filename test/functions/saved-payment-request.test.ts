import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { requestTo } from '../../bin/testing/function-events.ts';
import { putAll, removeAll } from '../../bin/testing/put-all.ts';
import { approvalBy, newPaymentRequest } from '../../bin/testing/tenants.ts';
import { routes } from '../../functions/domain/routes.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { useFunctions } from '../support/use-functions.ts';
import { answerOf } from './answers.ts';

const { deployed, tenant } = await useFunctions();

/** A payment request with 250 stable approvals as items, and how to send another one. */
const approvedOften = async () => {
  const approve = deployed(routes.approvePaymentRequest.functionName);
  const { id } = await newPaymentRequest(tenant.workspace, { status: 'approved' });
  const longAgo = Date.now() - 24 * 60 * 60 * 1000;
  const created = new Date(longAgo).toISOString();
  const items = Array.from({ length: 250 }, (_, index) =>
    approvalItem(
      approvalBy(tenant.manager, id, { id: `apprdec_${ulid(longAgo + index)}`, created }),
    ),
  );
  await putAll(items);
  const body = { approver: tenant.manager };
  const send = (key?: string) =>
    answerOf(approve, requestTo(routes.approvePaymentRequest, { tenant, id, body, key }));
  return { items, send };
};

test('an approval that was lost and put back is in each replay, also of an answer without it', async () => {
  const { items, send } = await approvedOften();
  const lost = items.slice(4, 5);

  const before = await send('before');
  await removeAll(lost);
  const meanwhile = await send('meanwhile');
  await putAll(lost.map((item) => ({ ...item, imported: { at: new Date().toISOString() } })));

  expect((await send('before')).text).toBe(before.text);
  const { approvals } = meanwhile.body;
  expect((await send('meanwhile')).body).toEqual({
    ...meanwhile.body,
    approvals: approvals.toSpliced(4, 0, lost[0]?.id),
  });
});
