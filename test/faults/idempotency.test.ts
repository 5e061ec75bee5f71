import { beforeAll, describe, expect, test } from 'vitest';
import { atOnce } from '../support/at-once.ts';
import { findSummary } from '../support/delivery-attempts.ts';
import { type CallFault, errorAnswer } from '../support/fault-proxy.ts';
import { killing } from '../support/faulty-service.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { resend } from '../support/keyed-operations.ts';
import { operations, type PreparedRequest } from '../support/prepared-requests.ts';
import type { Answer } from '../support/send-request.ts';
import { newOffer, newTenant, type Tenant } from '../support/tenants.ts';

const { faulty, ask } = useFaultyStack();

/** Longer than a lease on a key, which is as long as a function may run. */
const leaseMs = 11_000;

describe.each(operations)('$name with a key', ({ lambda, route, prepare, effectOf }) => {
  // A tenant for each: two of them approve, and a key belongs to one request of an operation.
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await newTenant();
  });

  /** Expects one effect, and the same body in every success. */
  const expectOne = async (intent: PreparedRequest, answers: readonly Answer[]) => {
    const effects = await intent.effects();
    expect(effects).toHaveLength(1);
    const successes = answers.filter((answer) => answer.status < 300);
    for (const answer of successes) {
      expect(answer.status).toBe(route.status);
      expect(JSON.stringify(answer.body)).toBe(JSON.stringify(successes[0]?.body));
      expect(effectOf(answer.body)).toBe(effects[0]);
    }
    return successes.length;
  };

  /** Holds each of the SDK's tries: an instance for another request may take long to start. */
  const holdCommit = ({ about }: PreparedRequest) =>
    faulty.dynamodb.hold({ operation: 'TransactWriteItems', about, calls: [1, 2, 3] });

  const failCommit = ({ about }: PreparedRequest, fault: CallFault) =>
    faulty.dynamodb.inject({ operation: 'TransactWriteItems', about, calls: [1], fault });

  test('50 at once are one', async () => {
    const intent = await prepare(tenant);
    const answers = await atOnce(50, () => ask(intent, 'crowd'));
    expect(await expectOne(intent, answers)).toBeGreaterThan(0);
    for (const { status, body } of answers.filter((answer) => answer.status >= 300)) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
    }
  });

  test('a second and a third while the first still runs are refused, and then replays', async () => {
    const intent = await prepare(tenant);
    const { held, release } = holdCommit(intent);
    const first = ask(intent, 'slow');
    await held;

    const [second, third] = [await ask(intent, 'slow'), await ask(intent, 'slow')];
    release();

    for (const { status, body, headers } of [second, third]) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await expectOne(intent, [await first, await ask(intent, 'slow')])).toBe(2);
  });

  test.each(['killBefore', 'killAfter'] as const)(
    'a function that dies (%s the commit) and a retry are one',
    async (kind) => {
      const intent = await prepare(tenant);
      failCommit(intent, killing(faulty, lambda, kind));

      const died = await ask(intent, kind);
      const early = await ask(intent, kind);
      faulty.clock.advance(leaseMs);
      const [retried, again] = [await ask(intent, kind), await ask(intent, kind)];

      expect(died.status).toBeGreaterThanOrEqual(500);
      if (kind === 'killBefore') {
        expect([early.status, early.body.code]).toEqual([409, 'idempotency_key_in_use']);
        expect(await expectOne(intent, [retried, again])).toBe(2);
        expect(retried.headers.get('idempotent-replayed')).toBeNull();
      } else {
        expect(await expectOne(intent, [early, retried, again])).toBe(3);
        expect(early.headers.get('idempotent-replayed')).toBe('true');
      }
    },
  );

  test('a commit that arrives when another holds the key comes too late', async () => {
    const intent = await prepare(tenant);
    const { release } = holdCommit(intent);

    const overrun = await ask(intent, 'overrun');
    faulty.clock.advance(leaseMs);
    const second = await ask(intent, 'overrun');
    release();
    const third = await ask(intent, 'overrun');

    expect([overrun.status, overrun.body.code]).toEqual([504, 'outcome_unknown']);
    expect(await expectOne(intent, [second, third])).toBe(2);
  });

  test('after 30 days a key can be used for a new request', async () => {
    const intent = await prepare(tenant);
    const first = await ask(intent, 'old');
    faulty.clock.advance(30 * 24 * 60 * 60 * 1000 - 60_000);
    expect(await expectOne(intent, [first, await ask(intent, 'old')])).toBe(2);
    faulty.clock.advance(120_000);

    const anew = await ask(intent, 'old');

    expect(anew.status).toBe(route.status);
    expect(anew.headers.get('idempotent-replayed')).toBeNull();
    const again = await ask(intent, 'old');
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([anew.text, 'true']);
    expect(await intent.effects()).toHaveLength(2);
  });
});

test.each([
  ['a transaction holds it', 'TransactionConflictException', [409, 'offer_not_sent']],
  ['DynamoDB fails', 'InternalServerError', [503, 'unavailable']],
] as const)(
  'a key that cannot be given back, since %s, changes nothing',
  async (_, type, expected) => {
    const tenant = await newTenant();
    const { id } = await newOffer(tenant.workspace, { status: 'draft' });
    faulty.dynamodb.inject({ operation: 'DeleteItem', fault: errorAnswer(type) });
    const tried = { ...resend, request: resend.request({ id }), token: tenant.token };

    const refused = await ask(tried, type);
    faulty.heal();
    const early = await ask(tried, type);
    faulty.clock.advance(leaseMs);
    const again = await ask(tried, type);

    expect([refused, early, again].map((answer) => [answer.status, answer.body.code])).toEqual([
      expected,
      [409, 'idempotency_key_in_use'],
      [409, 'offer_not_sent'],
    ]);
    expect((await findSummary(id)).attempts).toBe(0);
  },
);
