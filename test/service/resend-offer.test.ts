import { beforeAll, describe, expect, test } from 'vitest';
import { loadOfferPartition } from '../../bin/admin/table/offers.ts';
import { type Offer, presentOffer } from '../../functions/domain/offer.ts';
import { unknownIdAdvice } from '../../functions/domain/problem.ts';
import { atOnce } from '../support/at-once.ts';
import { findSummary } from '../support/delivery-attempts.ts';
import { tooLong } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { mailsTo } from '../support/mails-to.ts';
import { service } from '../support/running-stack.ts';
import {
  newOffer,
  newPaymentRequest,
  newSender,
  newTenant,
  type Tenant,
} from '../support/tenants.ts';

/** What becomes of an attempt. On AWS the tests send from test workspaces: nothing is mailed. */
const mailedStatus = service.mailbox ? 'sent' : 'simulated';

/** How many mails of an offer have been sent. */
const mailsOf = async ({ id, recipient_email }: Offer): Promise<number> => {
  if (service.mailbox) return (await mailsTo(recipient_email)).length;
  return (await loadOfferPartition(id)).attempts.filter(({ status }) => status === mailedStatus)
    .length;
};

describe('POST /v1/offers/{id}/resend', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await newSender();
  });

  const resend = (id: string, key?: string, token = tenant.token) =>
    call('POST', `/v1/offers/${id}/resend`, { token, ...(key !== undefined && { key }) });

  test('returns the offer with one more delivery attempt, which is sent', async () => {
    const offer = await newOffer(tenant.workspace);

    const { status, body } = await resend(offer.id);

    expect(status).toBe(200);
    expect(body).toEqual({
      ...presentOffer(offer),
      delivery: {
        attempts: 1,
        last_attempt: {
          id: expect.stringMatching(/^dlv_/),
          status: 'queued',
          created: body.updated,
        },
      },
      updated: expect.any(String),
    });
    await expect
      .poll(async () => (await findSummary(offer.id)).last_attempt)
      .toEqual({ ...body.delivery.last_attempt, status: mailedStatus });
  });

  test('without a key, 20 simultaneous resends are 20 attempts', async () => {
    const offer = await newOffer(tenant.workspace);
    const responses = await atOnce(20, () => resend(offer.id));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    const attempts = responses.map(({ body }) => body.delivery.attempts);
    expect(attempts.sort((a, b) => a - b)).toEqual(responses.map((_, index) => index + 1));
    await expect.poll(() => mailsOf(offer)).toBe(20);
  });

  test('keeps the keys of workspaces and of operations apart', async () => {
    const [other, live] = [await newSender(), await newTenant()];
    const [mine, theirs] = [await newOffer(tenant.workspace), await newOffer(other.workspace)];
    const { id } = await newPaymentRequest(tenant.workspace);
    const send = ({ token }: Tenant, path: string, body: unknown) =>
      call('POST', path, { token, key: 'common', body });
    const responses = [
      await resend(mine.id, 'common'),
      await resend(theirs.id, 'common', other.token),
      await send(tenant, `/v1/payment-requests/${id}/approve`, { approver: tenant.manager }),
      await send(live, '/v1/sandboxes', { name: 'Same key' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 201]);
    for (const { headers } of responses) expect(headers.get('idempotent-replayed')).toBeNull();
    expect(responses[1]?.body.delivery.attempts).toBe(1);
  });

  test("has one response to another tenant's id, an unknown one and a malformed one", async () => {
    const theirs = await newOffer((await newSender()).workspace);
    for (const id of [theirs.id, 'ofr_unknown', 'nonsense', `ofr_${tooLong}`]) {
      const { status, body } = await resend(id);
      expect([status, body.code]).toEqual([404, 'offer_not_found']);
      expect(body.detail).toBe(`There is no such offer. ${unknownIdAdvice}`);
    }
    expect((await findSummary(theirs.id)).attempts).toBe(0);
  });

  test('takes an empty object for a body and nothing else', async () => {
    const offer = await newOffer(tenant.workspace);
    const path = `/v1/offers/${offer.id}/resend`;
    const { token } = tenant;
    expect((await call('POST', path, { token, body: {} })).status).toBe(200);
    const { status, body } = await call('POST', path, { token, body: { to: 'me@example.com' } });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.errors).toMatchObject([{ pointer: '/to', code: 'unknown' }]);
  });
});
