import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { atOnce } from '../support/at-once.ts';
import { tooLong } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';

describe('POST /v1/payment-requests/{id}/approve', () => {
  let tenant: Tenant;
  let other: Tenant;
  beforeAll(async () => {
    tenant = await newTenant('test');
    other = await newTenant('test');
  });

  const approve = (id: string, body: unknown, key?: string, token = tenant.token) =>
    call('POST', `/v1/payment-requests/${id}/approve`, { token, body, ...(key && { key }) });

  test('returns the payment request with the new approval in it', async () => {
    const payment = { id: 'pay_1', amount: '1250.00' };
    const documents = [{ id: 'doc_1', name: 'timesheet.pdf' }];
    const request = await newPaymentRequest(tenant.workspace, { payment, documents });

    const { status, body } = await approve(request.id, {
      approver: tenant.manager,
      reason: 'Matches the timesheet',
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      ...request,
      status: 'approved',
      approvals: [expect.stringMatching(/^apprdec_/)],
    });
  });

  describe('with If-Match', () => {
    const approveSeen = (id: string, ifMatch: string, approver = tenant.manager, key?: string) =>
      call('POST', `/v1/payment-requests/${id}/approve`, {
        token: tenant.token,
        body: { approver },
        headers: { 'If-Match': ifMatch },
        ...(key && { key }),
      });
    const versioned = async (version: number, status: 'pending' | 'approved' = 'pending') => {
      const item = { version, status } as Parameters<typeof newPaymentRequest>[1];
      return (await newPaymentRequest(tenant.workspace, item)).id;
    };

    test.each(['"7"', '"6", "7"', '*', '"x,y","7"'])('%s approves version 7', async (ifMatch) => {
      for (const status of ['pending', 'approved'] as const) {
        const { body } = await approveSeen(await versioned(7, status), ifMatch);
        expect(body).toMatchObject({ status: 'approved', approvals: [expect.any(String)] });
        expect(body).not.toHaveProperty('version');
      }
    });

    test.each(['"8"', 'W/"7"', '"07"', '"0", "6"'])('%s does not', async (ifMatch) => {
      for (const status of ['pending', 'approved'] as const) {
        const id = await versioned(7, status);
        const refused = await approveSeen(id, ifMatch);
        expect([refused.status, refused.body.code]).toEqual([412, 'version_mismatch']);
        expect(refused.body).toMatchObject({
          version: 7,
          detail: expect.stringMatching(
            /^(The record has version 7\.|If-Match is .*, which names no version\.)/,
          ),
        });
        expect((await approveSeen(id, '"7"')).body.approvals).toHaveLength(1);
      }
    });

    test('the version of a request about which no record was sent is 0', async () => {
      const { id } = await newPaymentRequest(tenant.workspace);
      expect((await approveSeen(id, '"1"')).status).toBe(412);
      expect((await approveSeen(id, '"0"')).status).toBe(200);
    });

    test.each(['7', '', ', ,', '"7', '*, "7"'])('%j is a fault among others', async (ifMatch) => {
      const { status, body } = await approveSeen(await versioned(7), ifMatch, 'me');
      expect([status, body.code]).toEqual([400, 'invalid_request']);
      expect(body.errors).toEqual([
        expect.objectContaining({ pointer: '/approver' }),
        expect.objectContaining({ header: 'If-Match', code: 'invalid_format' }),
      ]);
    });

    test('comes after the key, 404 and the manager, and leaves the key free', async () => {
      const id = await versioned(7);
      const code = async (...sent: Parameters<typeof approveSeen>) => {
        const { status, body } = await approveSeen(...sent);
        return [status, body.code];
      };
      expect(await code('ptr_unknown', '"8"')).toEqual([404, 'payment_request_not_found']);
      expect(await code(id, '"8"', randomUUID())).toEqual([403, 'not_a_manager']);
      expect(await code(id, '"8"', tenant.manager, 'seen')).toEqual([412, 'version_mismatch']);
      const { text } = await approveSeen(id, '"6", "7"', tenant.manager, 'seen');
      const replay = await approveSeen(id, '"7","6","7"', tenant.manager, 'seen');
      expect([replay.text, replay.headers.get('idempotent-replayed')]).toEqual([text, 'true']);
      const other = [422, 'idempotency_key_reused'];
      expect(await code(id, '"7"', tenant.manager, 'seen')).toEqual(other);
      const { status } = await approve(id, { approver: tenant.manager }, 'seen');
      expect(status).toBe(422);
    });

    test('is ignored by other operations', async () => {
      const sent = { token: tenant.token, headers: { 'If-Match': '7' } };
      expect((await call('POST', '/v1/offers/ofr_unknown/resend', sent)).status).toBe(404);
    });
  });

  test("approves a stored request that today's validation would refuse", async () => {
    const old = { period: { starts: '2026-10-31', ends: '2026-10-01' }, reference: '\u200b' };
    const { id } = await newPaymentRequest(tenant.workspace, { ...old, note: 'a\u202eb' });
    for (const key of ['old', 'old']) {
      const { status, body } = await approve(id, { approver: tenant.manager }, key);
      expect([status, body.approvals?.length]).toEqual([200, 1]);
      expect(body).toMatchObject(old);
    }
  });

  test('refuses an approver who is no manager of the account, and changes nothing', async () => {
    const { id } = await newPaymentRequest(tenant.workspace);
    for (const approver of [randomUUID(), other.manager]) {
      const { status, body } = await approve(id, { approver });
      expect([status, body.code]).toEqual([403, 'not_a_manager']);
    }
    const { body } = await approve(id, { approver: tenant.manager });
    expect(body.approvals).toHaveLength(1);
  });

  test("has one response to another tenant's id, an unknown one and a malformed one", async () => {
    const theirs = await newPaymentRequest(other.workspace);
    const ids = [theirs.id, 'ptr_unknown', 'nonsense', 'ptr_', `ptr_${tooLong}`];

    const responses = await Promise.all(ids.map((id) => approve(id, { approver: tenant.manager })));

    for (const { status, body } of responses) {
      const { request_id: _, ...rest } = body;
      const { request_id: __, ...first } = responses[0]?.body ?? {};
      expect(status).toBe(404);
      expect(rest).toEqual(first);
      expect(rest.code).toBe('payment_request_not_found');
    }
    const unharmed = await approve(theirs.id, { approver: other.manager }, undefined, other.token);
    expect(unharmed.body.approvals).toHaveLength(1);
  });

  test('loses none of 60 approvals at once', async () => {
    const { id } = await newPaymentRequest(tenant.workspace);
    const responses = await atOnce(60, () => approve(id, { approver: tenant.manager }));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const { body } = await approve(id, { approver: tenant.manager });
    expect(new Set(body.approvals).size).toBe(61);
    for (const response of responses)
      expect(body.approvals).toContain(response.body.approvals.at(-1));
  });
});
