import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { ulid } from 'ulid';
import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { documents, table } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { offerItem } from '../../functions/store/offers.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { answerOf } from '../support/answers.ts';
import { requestTo } from '../support/events.ts';
import { useFunctions } from '../support/functions.ts';
import { putAll } from '../support/put-all.ts';
import { approvalBy, newOffer, newPaymentRequest } from '../support/tenants.ts';

const { clock, deployed, tenant } = await useFunctions();

const put = (item: Record<string, unknown>) =>
  documents.send(new PutCommand({ TableName: table(), Item: item }));

describe('an item of an earlier version', () => {
  const earlier = { workspace: 'wsp_before', account: 'acc_before' };
  const offer = {
    id: 'ofr_before',
    status: 'sent',
    recipient_email: 'a@example.com',
    delivery: {
      attempts: 1,
      last_attempt: {
        id: 'dlv_01M813Z0WM2RPGYXAKWVMGHMWV',
        status: 'queued',
        created: '2026-11-22T07:54:06.612Z',
      },
    },
    created: '2026-11-22T07:54:05.923Z',
    updated: '2026-11-22T07:54:06.612Z',
  };
  /** What it wrote for the key `kept` on POST /v1/offers/ofr_before/resend. */
  const record = {
    pk: 'CLAIM#aa4008653d0af9d2fa999f0346fae66236b75a911145f42bec4ff25b629d63f4',
    sk: 'CLAIM',
    validation: 'gHLDXYUeP0v/5LmxGEf8Xcx+Gsvo2MUzWsWT5JXq1YA=',
    expires: 4e9,
  };
  const completedClaim = {
    ...record,
    type: 'CLAIM',
    workspace: 'wsp_before',
    operation: 'resend-offer',
    key: 'kept',
    fingerprint: '6fed029ef0502f293bb32dba95dd3d5f4e06e5d4fa37cd9831b3e91f2fefb017',
    status: 'COMPLETED',
    result: JSON.stringify(offer),
  };
  const send = (id: string, environment = {}) =>
    answerOf(
      deployed(routes.resendOffer.functionName, environment),
      requestTo(routes.resendOffer, { tenant: earlier, id, key: 'kept' }),
    );

  test.each([{}, { POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' }])(
    'is replayed, and recognises another request (%j)',
    async (environment) => {
      for (const id of ['ofr_before', 'ofr_other']) {
        await put({
          ...offerItem('wsp_before', await newOffer('wsp_before')),
          ...keys.offer(id),
          id,
        });
      }
      await put(completedClaim);

      const replay = await send('ofr_before', environment);
      const other = await send('ofr_other', environment);

      expect([replay.status, replay.text]).toEqual([200, JSON.stringify(offer)]);
      expect(replay.headers['Idempotent-Replayed']).toBe('true');
      expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
    },
  );

  test('holds its key while its request is in progress', async () => {
    const in_progress_expiration = clock.now() + 60_000;
    await put({ ...record, status: 'INPROGRESS', in_progress_expiration });
    const same = await send('ofr_before');
    const other = await send('ofr_other');
    expect([same.status, same.body.code]).toEqual([409, 'idempotency_key_in_use']);
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('with a deflated approval is replayed', async () => {
    const request = {
      id: 'ptr_before',
      worker: 'wr_before',
      amount: '1250.00',
      currency: 'USD',
      status: 'approved',
      reference: 'INV-1',
      note: '',
      period: { starts: '2026-10-01', ends: '2026-10-31' },
      documents: [],
      payment: null,
      created: '2026-11-22T07:54:05.937Z',
    };
    await put({
      pk: 'CLAIM#67dfcedd86ad9783b7d542baa88239b7184eaf5265d106a654fe72265bbd710f',
      sk: 'CLAIM',
      type: 'CLAIM',
      workspace: 'wsp_before',
      operation: 'approve-payment-request',
      key: 'kept',
      fingerprint: '6f876a0dd602db114a5ea1680aec4b77bd99e8eaddb4ae3e9a24fecc572c73cc',
      status: 'COMPLETED',
      validation: 'GOtygAJ4IemfOGcy/mOu7XnHzYM8mEhab/OGJ60kiTU=',
      result: JSON.stringify({
        ...request,
        approvals: 'i1ZKLCgoSklNjjcw9LUwNI4y9HXxdnMMiDD0MLeMcAqOMg6OUooFAA==',
        earlier: null,
      }),
      expires: 4e9,
    });
    const body = { approver: '9cda29f9-6f26-4cbb-b692-d56cc75744a1', reason: 'ok' };
    const replay = await answerOf(
      deployed(routes.approvePaymentRequest.functionName),
      requestTo(routes.approvePaymentRequest, {
        tenant: earlier,
        id: request.id,
        body,
        key: 'kept',
      }),
    );
    expect(replay.status).toBe(200);
    expect(replay.body).toEqual({
      ...request,
      approvals: ['apprdec_01M813Z1MDKFAPX1H79XBSZ3SZ'],
    });
  });
});

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

test('requests are compared by their meaning, not by their spelling', async () => {
  const approve = deployed(routes.approvePaymentRequest.functionName);
  const { id } = await newPaymentRequest(tenant.workspace);
  const send = (body: string) =>
    answerOf(
      approve,
      requestTo(routes.approvePaymentRequest, { tenant, id, body: {}, key: 'same' }, { body }),
    );
  const approver = tenant.manager;

  const first = await send(JSON.stringify({ approver, reason: 'ok' }));
  const rewritten = await send(
    `{ "reason": "\\u006fk",\n "approver": "${approver.toUpperCase()}" }`,
  );
  const different = await send(JSON.stringify({ approver, reason: 'OK' }));

  expect([rewritten.status, rewritten.text]).toEqual([200, first.text]);
  expect([different.status, different.body.code]).toEqual([422, 'idempotency_key_reused']);
});
