import { beforeAll, describe, expect, test } from 'vitest';
import { atOnce } from '../support/at-once.ts';
import { findSummary } from '../support/deliveries.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import type { Answer } from '../support/http.ts';
import { type Intent, operations } from '../support/operations.ts';
import { newOffer, newTenant, type Tenant } from '../support/tenants.ts';

const { faulty, ask } = useFaultyStack();

/** Longer than a lease on a key, which is as long as a function may run. */
const leaseMs = 11_000;

describe.each(operations)('$name with a key', ({ lambda, status, prepare, effectOf }) => {
  // A tenant for each: two of them approve, and a key belongs to one request of an operation.
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await newTenant();
  });

  const kill = () => faulty.lambda(lambda).killBusyInstances();

  /** What must be true in the end: one effect, and every success speaks of it in the same words. */
  const expectOne = async (intent: Intent, answers: readonly Answer[]) => {
    const effects = await intent.effects();
    expect(effects).toHaveLength(1);
    const successes = answers.filter((answer) => answer.status < 300);
    for (const answer of successes) {
      expect(answer.status).toBe(status);
      expect(JSON.stringify(answer.body)).toBe(JSON.stringify(successes[0]?.body));
      expect(effectOf(answer.body)).toBe(effects[0]);
    }
    return successes.length;
  };

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
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    faulty.dynamodb.inject({
      operation: 'TransactWriteItems',
      about: intent.about,
      // Each of the SDK's tries, since an instance for the second request may take long to start.
      calls: [1, 2, 3],
      fault: { kind: 'hold', released },
    });
    const first = ask(intent, 'slow');
    await seen('TransactWriteItems', intent);

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
      faulty.dynamodb.inject({
        operation: 'TransactWriteItems',
        about: intent.about,
        calls: [1],
        fault: { kind, kill },
      });

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

  test.each(['reset', 'loseReply'] as const)(
    'a call to DynamoDB that is repeated by the SDK (%s) is one',
    async (kind) => {
      const intent = await prepare(tenant);
      faulty.dynamodb.inject({
        operation: 'TransactWriteItems',
        about: intent.about,
        calls: [1],
        fault: { kind },
      });
      expect(await expectOne(intent, [await ask(intent, kind), await ask(intent, kind)])).toBe(2);
    },
  );

  test('a commit that arrives when another holds the key comes too late', async () => {
    const intent = await prepare(tenant);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    faulty.dynamodb.inject({
      operation: 'TransactWriteItems',
      about: intent.about,
      calls: [1, 2, 3],
      fault: { kind: 'hold', released },
    });

    const overrun = await ask(intent, 'overrun');
    faulty.clock.advance(leaseMs);
    const second = await ask(intent, 'overrun');
    release();
    const third = await ask(intent, 'overrun');

    expect([overrun.status, overrun.body.code]).toEqual([504, 'outcome_unknown']);
    expect(await expectOne(intent, [second, third])).toBe(2);
  });

  test('a transaction that holds the key says that its request is being answered', async () => {
    const intent = await prepare(tenant);
    faulty.dynamodb.inject({
      operation: 'PutItem',
      about: 'in_progress_expiration',
      fault: { kind: 'answer', status: 400, type: 'TransactionConflictException' },
    });
    const held = await ask(intent, 'held');
    faulty.heal();
    expect([held.status, held.body.code]).toEqual([409, 'idempotency_key_in_use']);
    expect(await expectOne(intent, [await ask(intent, 'held'), await ask(intent, 'held')])).toBe(2);
  });

  test('another request with the key is refused, and the first still replays', async () => {
    const [intent, other] = [await prepare(tenant), await prepare(tenant)];
    const first = await ask(intent, 'taken');
    const path = intent.path === other.path ? {} : { path: other.path };
    const changed = { ...intent, ...path, call: { ...other.call } };

    const reused = await ask(changed, 'taken');

    expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
    expect(await other.effects()).toEqual([]);
    expect(await expectOne(intent, [first, await ask(intent, 'taken')])).toBe(2);
  });

  test('another workspace has keys of its own', async () => {
    const neighbour = await newTenant();
    const [mine, theirs] = [await prepare(tenant), await prepare(neighbour)];
    const answers = [await ask(mine, 'neighbours'), await ask(theirs, 'neighbours')];
    expect(await expectOne(mine, answers.slice(0, 1))).toBe(1);
    expect(await expectOne(theirs, answers.slice(1))).toBe(1);
  });

  test('30 days later the key stands for something new', async () => {
    const intent = await prepare(tenant);
    const first = await ask(intent, 'old');
    faulty.clock.advance(30 * 24 * 60 * 60 * 1000 - 60_000);
    expect(await expectOne(intent, [first, await ask(intent, 'old')])).toBe(2);
    faulty.clock.advance(120_000);

    const anew = await ask(intent, 'old');

    expect(anew.status).toBe(status);
    expect(anew.headers.get('idempotent-replayed')).toBeNull();
    expect(await intent.effects()).toHaveLength(2);
  });

  const seen = async (operation: string, { about }: Intent) => {
    const found = () =>
      faulty.dynamodb.seen.some(
        (call) => call.operation === operation && call.body.includes(about),
      );
    while (!found()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
});

test.each([
  ['a transaction holds it', 400, 'TransactionConflictException', [409, 'offer_not_sent']],
  ['DynamoDB fails', 500, 'InternalServerError', [503, 'unavailable']],
] as const)(
  'a key that cannot be given back, since %s, changes nothing',
  async (_, status, type, told) => {
    const tenant = await newTenant();
    const { id } = await newOffer(tenant.workspace, { status: 'draft' });
    faulty.dynamodb.inject({ operation: 'DeleteItem', fault: { kind: 'answer', status, type } });
    const resend = () =>
      faulty.call('POST', `/v1/offers/${id}/resend`, { token: tenant.token, key: type });

    const refused = await resend();
    faulty.heal();
    const early = await resend();
    faulty.clock.advance(leaseMs);
    const again = await resend();

    expect([refused, early, again].map((answer) => [answer.status, answer.body.code])).toEqual([
      told,
      [409, 'idempotency_key_in_use'],
      [409, 'offer_not_sent'],
    ]);
    expect((await findSummary(id)).attempts).toBe(0);
  },
);
