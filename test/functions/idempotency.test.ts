import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Context } from 'aws-lambda';
import { ulid } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Claim, claimLifetimeS } from '../../functions/domain/claim.ts';
import { routes } from '../../functions/domain/routes.ts';
import { documents, table } from '../../functions/store/client.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { newOpaque } from '../../functions/store/identifiers.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { answerOf } from '../support/answers.ts';
import { findSummary } from '../support/deliveries.ts';
import { requestTo } from '../support/events.ts';
import { clock, deployed } from '../support/functions.ts';
import { putAll } from '../support/put-all.ts';
import { newOffer, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';

const lambda = deployed(routes.resendOffer.functionName);

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

const resend = (id: string, key: string, by = lambda) =>
  answerOf(by, requestTo(routes.resendOffer, { tenant, id, key }));

/** The claim of the one keyed request for an offer, which is Powertools' record too. */
const recordOf = async (offer: string) => {
  const { Items = [] } = await documents.send(
    new ScanCommand({ TableName: table(), ConsistentRead: true }),
  );
  const records = Items.filter(
    (item) => item.sk === 'CLAIM' && JSON.stringify(item).includes(offer),
  );
  expect(records).toHaveLength(1);
  return records[0] ?? {};
};

const put = (item: Record<string, unknown>) =>
  documents.send(new PutCommand({ TableName: table(), Item: item }));

describe("without Powertools' records", () => {
  test('a repeated request is still one attempt with one answer, when they are switched off', async () => {
    const off = deployed(routes.resendOffer.functionName, {
      POWERTOOLS_IDEMPOTENCY_DISABLED: 'true',
    });
    const offer = await newOffer(tenant.workspace);

    const first = await resend(offer.id, 'off', off);
    const again = await resend(offer.id, 'off', off);
    const together = await Promise.all([1, 2, 3].map(() => resend(offer.id, 'off', off)));

    for (const answer of [again, ...together]) {
      expect([answer.status, answer.text]).toEqual([200, first.text]);
      expect(answer.headers['Idempotent-Replayed']).toBe('true');
    }
    expect(first.headers).not.toHaveProperty('Idempotent-Replayed');
    expect((await findSummary(offer.id)).attempts).toBe(1);
    const other = await newOffer(tenant.workspace);
    expect((await resend(other.id, 'off', off)).body.code).toBe('idempotency_key_reused');
  });

  test('requests with one key at once are one attempt, when they are switched off', async () => {
    const off = deployed(routes.resendOffer.functionName, {
      POWERTOOLS_IDEMPOTENCY_DISABLED: 'true',
    });
    const offer = await newOffer(tenant.workspace);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => resend(offer.id, 'off-race', off)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await findSummary(offer.id)).attempts).toBe(1);
  });
});

describe('a request that fails', async () => {
  // It reads the table's name when it is loaded.
  const { once } = await import('../../functions/http/idempotency.ts');
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  const restore = async (saved: string) => saved;
  const newClaim = () => ({
    workspace: tenant.workspace,
    operation: 'test',
    key: newOpaque(),
    fingerprint: 'asked',
  });
  const complete = (claim: Claim, result: string) =>
    commitNew({ pk: `TEST#${newOpaque()}`, sk: 'TEST' }, { claim, result });

  test('leaves what somebody else has completed meanwhile, and a replay finds it', async () => {
    const claim = newClaim();
    const failing = once(claim, context, restore, async () => {
      await complete(claim, 'of somebody else');
      throw new Error('too late');
    });
    await expect(failing).rejects.toThrow('too late');

    const again = await once(claim, context, restore, async () => 'of mine');
    expect(again).toEqual({ body: 'of somebody else', replayed: true });
  });

  test('gives its key back', async () => {
    const claim = newClaim();
    const failing = once(claim, context, restore, async () => {
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');

    const run = async () => {
      await complete(claim, 'of mine');
      return 'of mine';
    };
    expect(await once(claim, context, restore, run)).toEqual({ body: 'of mine', replayed: false });
    expect(await once(claim, context, restore, run)).toEqual({ body: 'of mine', replayed: true });
  });
});

test('a key is in use as long as its first request may be running', async () => {
  const offer = await newOffer(tenant.workspace);
  await resend(offer.id, 'running');
  const { pk, sk, validation } = await recordOf(offer.id);
  const in_progress_expiration = clock.now() + 60_000;
  await put({ pk, sk, validation, status: 'INPROGRESS', expires: 4e9, in_progress_expiration });

  const { status, body, headers } = await resend(offer.id, 'running');

  expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
  expect(headers['Retry-After']).toBe('1');
});

test('a key is remembered for 30 days and then means something new', async () => {
  const offer = await newOffer(tenant.workspace);
  const first = await resend(offer.id, 'monthly');

  clock.advance((claimLifetimeS - 60) * 1000);
  expect((await resend(offer.id, 'monthly')).text).toBe(first.text);
  clock.advance(120_000);
  const fresh = await resend(offer.id, 'monthly');

  expect(fresh.body.delivery.attempts).toBe(2);
  expect(fresh.headers).not.toHaveProperty('Idempotent-Replayed');
  expect((await resend(offer.id, 'monthly')).text).toBe(fresh.text);
});

test('an answer with hundreds of settled approvals is replayed exactly', async () => {
  const approve = deployed(routes.approvePaymentRequest.functionName);
  const { id } = await newPaymentRequest(tenant.workspace, { status: 'approved' });
  const longAgo = Date.now() - 24 * 60 * 60 * 1000;
  const earlier = Array.from({ length: 250 }, (_, index) => `apprdec_${ulid(longAgo + index)}`);
  await putAll(
    earlier.map((each) =>
      approvalItem({
        id: each,
        payment_request: id,
        approver: tenant.manager,
        created: new Date(longAgo).toISOString(),
      }),
    ),
  );
  const body = { approver: tenant.manager };
  const send = (key?: string) =>
    answerOf(approve, requestTo(routes.approvePaymentRequest, { tenant, id, body, key }));

  const first = await send('settled');
  await send();
  const again = await send('settled');

  expect(first.body.approvals.slice(0, -1)).toEqual(earlier);
  expect(again.text).toBe(first.text);
  expect(again.headers['Idempotent-Replayed']).toBe('true');
});

test('what was asked is compared by what it means, not by how it was written', async () => {
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
