import { describe, expect } from 'vitest';
import { atOnce } from '../support/at-once.ts';
import { findSummary } from '../support/delivery-attempts.ts';
import { type CallFault, errorAnswer } from '../support/fault-proxy.ts';
import { killing } from '../support/faulty-service.ts';
import { type Faulty, test } from '../support/faulty-stack.ts';
import { resend } from '../support/keyed-operations.ts';
import { type PreparedRequest, preparableOperations } from '../support/prepared-requests.ts';
import type { Answer } from '../support/send-request.ts';
import { newOffer, newTenant, type Tenant } from '../support/tenants.ts';

/** Longer than a lease on a key, which is as long as a function may run. */
const leaseMs = 11_000;

describe.each(preparableOperations)('$name with a key', ({ lambda, route, prepare, effectOf }) => {
  // A tenant for each: two of them approve, and a key belongs to one request of an operation.
  let tenant: Tenant;
  test.beforeAll(async ({ faultyService: _ }) => {
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

  const failCommit = (faulty: Faulty, { about }: PreparedRequest, fault: CallFault) =>
    faulty.dynamodb.inject({ operation: 'TransactWriteItems', about, calls: [1], fault });

  test('has one effect when it is sent 50 times at once', async ({ ask }) => {
    const intent = await prepare(tenant);
    const answers = await atOnce(50, () => ask(intent, 'crowd'));
    expect(await expectOne(intent, answers)).toBeGreaterThan(0);
    for (const { status, body } of answers.filter((answer) => answer.status >= 300)) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
    }
  });

  test.for(['killBefore', 'killAfter'] as const)(
    'has one effect when its function dies (%s the commit) and it is sent again',
    async (kind, { faulty, ask }) => {
      const intent = await prepare(tenant);
      failCommit(faulty, intent, killing(faulty, lambda, kind));

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
});

test.for([
  ['a transaction holds it', 'TransactionConflictException', [409, 'offer_not_sent']],
  ['DynamoDB fails', 'InternalServerError', [503, 'unavailable']],
] as const)(
  'a key that cannot be given back, since %s, changes nothing',
  async ([, type, expected], { faulty, ask }) => {
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
