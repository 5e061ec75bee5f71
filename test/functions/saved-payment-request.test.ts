import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { answerOf } from '../support/answers.ts';
import { requestTo } from '../support/function-events.ts';
import { putAll } from '../support/put-all.ts';
import { approvalBy, newPaymentRequest } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';

const { deployed, tenant } = await useFunctions();

test('an answer with hundreds of stable approvals is replayed exactly', async () => {
  const approve = deployed(routes.approvePaymentRequest.functionName);
  const { id } = await newPaymentRequest(tenant.workspace, { status: 'approved' });
  const longAgo = Date.now() - 24 * 60 * 60 * 1000;
  const created = new Date(longAgo).toISOString();
  const earlier = Array.from({ length: 250 }, (_, index) => `apprdec_${ulid(longAgo + index)}`);
  await putAll(
    earlier.map((each) => approvalItem(approvalBy(tenant.manager, id, { id: each, created }))),
  );
  const body = { approver: tenant.manager };
  const send = (key?: string) =>
    answerOf(approve, requestTo(routes.approvePaymentRequest, { tenant, id, body, key }));

  const first = await send('stable');
  await send();
  const again = await send('stable');

  expect(first.body.approvals.slice(0, -1)).toEqual(earlier);
  expect(again.text).toBe(first.text);
  expect(again.headers['Idempotent-Replayed']).toBe('true');
});
