import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import pLimit from 'p-limit';
import { request } from 'undici';
import { expect } from 'vitest';
import { type Faulty, test } from '../../../test/support/faulty-stack.ts';
import { keyedOperations, type PreparedRequest } from '../../../test/support/keyed-operations.ts';
import { serverOf } from '../../../test/support/servers.ts';
import { newTenant, type Tenant } from '../../../test/support/tenants.ts';
import {
  type Call,
  type PaymentsClient,
  PaymentsError,
  paymentsClient,
} from '../payments-client.ts';
import { type GivenResponse, page, problem } from './given-responses.ts';

const seed = Number(process.env.CLIENT_SEED ?? 1);
/** Of each operation. */
const intents = Number(process.env.CLIENT_INTENTS ?? 30);
/** How many are under way at once. */
const crowd = 20;
const intentsOfTenant = 60;

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type Forward = () => Promise<{ status: number; headers: Headers; body: Buffer }>;

const respond = (response: GivenResponse) => async (_: Forward, outgoing: ServerResponse) => {
  const { status, headers, body } = await response();
  outgoing.writeHead(status, Object.fromEntries(headers));
  outgoing.end(body && (await buffer(body)));
};

const tear = async (forward: Forward, outgoing: ServerResponse, length: object) => {
  const { status, headers, body } = await forward();
  outgoing.writeHead(status, { 'Content-Type': headers['content-type'], ...length });
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
};

/** What goes wrong between the client and the service. */
const faults = {
  lostRequest: async (_: Forward, outgoing: ServerResponse) => outgoing.destroy(),
  lostResponse: async (forward: Forward, outgoing: ServerResponse) => {
    await forward();
    outgoing.destroy();
  },
  lateRequest: async (forward: Forward, outgoing: ServerResponse) => {
    outgoing.destroy();
    await sleep(300);
    await forward();
  },
  requestTwice: async (forward: Forward, outgoing: ServerResponse) => {
    await Promise.all([forward(), forward()]);
    outgoing.destroy();
  },
  /** A proxy sends the request twice, and returns the response to the second one. */
  responseOfSecond: async (forward: Forward, outgoing: ServerResponse) => {
    const [, { status, headers, body }] = await Promise.all([forward(), forward()]);
    outgoing.writeHead(status, headers).end(body);
  },
  tornResponse: (forward: Forward, outgoing: ServerResponse) =>
    tear(forward, outgoing, { 'Content-Length': '100000' }),
  tornChunk: (forward: Forward, outgoing: ServerResponse) => tear(forward, outgoing, {}),
  /** No length and no chunks: that it ends early shows in the body alone. */
  tornText: async (forward: Forward, outgoing: ServerResponse) => {
    const { body } = await forward();
    outgoing.removeHeader('Transfer-Encoding');
    outgoing.socket?.end(
      `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n${body.subarray(0, body.length / 2)}`,
    );
  },
  gatewayBefore: respond(page(502)),
  gatewayAfter: async (forward: Forward, outgoing: ServerResponse) => {
    await forward();
    await respond(page(502))(forward, outgoing);
  },
  unavailable: respond(problem('unavailable')),
  unauthenticated: respond(problem('unauthenticated')),
  blocked: respond(problem('request_blocked')),
};
type FaultName = keyof typeof faults;

const anyFaults = fc.array(fc.constantFrom(...(Object.keys(faults) as FaultName[])), {
  maxLength: 5,
});
/** What an intent meets, and how its caller takes that. */
const planned = fc.record({
  /** Of its requests, in the order of arrival. */
  faults: anyFaults,
  /** Its first function dies at its commit. */
  killed: fc.oneof(
    { weight: 18, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom('killBefore' as const, 'killAfter' as const) },
  ),
  /** The caller stores a key, and dies so long after its first request has begun. */
  crashesAfterMs: fc.option(fc.integer({ min: 0, max: 400 })),
  /** Whether the caller calls again, with the key, until there is a success. */
  isPersistent: fc.boolean(),
  tryForS: fc.constantFrom(0.3, 3, 90),
});
type Plan = typeof planned extends fc.Arbitrary<infer Value> ? Value : never;

const calls: Readonly<
  Record<string, (client: PaymentsClient, intent: PreparedRequest, call: Call) => Promise<unknown>>
> = {
  approve: (client, { about, request: { body } }, call) =>
    client.approve(about, body as { approver: string }, call),
  resend: (client, { about }, call) => client.resendOffer(about, call),
  create: (client, { request: { body } }, call) =>
    client.createSandbox(body as { name: string }, call),
};

/** The service behind faults: the first part of a path names the plan of its intent. */
const faultyUrl = (faulty: Faulty, plans: readonly Plan[]) => {
  const left = plans.map((plan) => [...plan.faults]);
  return serverOf(async (incoming, outgoing) => {
    const [, index = '', path = ''] = /^\/(\d+)(\/.*)$/.exec(incoming.url ?? '') ?? [];
    const {
      method = '',
      headers: { connection: _, ...headers },
    } = incoming;
    const sent = await buffer(incoming);
    const forward: Forward = async () => {
      const url = `${faulty.stack.url}${path}`;
      const response = await request(url, { method, headers, body: sent });
      const { statusCode: status, headers: received } = response;
      return { status, headers: received, body: Buffer.from(await response.body.arrayBuffer()) };
    };
    const fault = left[Number(index)]?.shift();
    try {
      if (fault) return await faults[fault](forward, outgoing);
      const { status, headers, body } = await forward();
      outgoing.writeHead(status, headers).end(body);
    } catch {
      outgoing.destroy();
    }
    return undefined;
  });
};

test(`${intents} intents of each operation have at most one effect each, and each success has one`, {
  timeout: 300_000 + intents * 3000,
}, async ({ faulty }) => {
  const chosen = keyedOperations.filter(({ name }) => name in calls);
  const plans = fc.sample(planned, { numRuns: intents * chosen.length, seed });
  const url = await faultyUrl(faulty, plans);
  const seen = { successes: 0, failures: 0 };
  // The sandboxes of a tenant are read at once.
  const tenants: Tenant[] = [];
  for (let made = 0; made < plans.length; made += intentsOfTenant) tenants.push(await newTenant());

  const run = async (index: number, plan: Plan) => {
    const operation = chosen[index % chosen.length];
    const tenant = tenants[Math.floor(index / intentsOfTenant)];
    const intent = tenant && (await operation?.prepare(tenant));
    const perform = calls[operation?.name ?? ''];
    if (!operation || !intent || !perform) throw new Error('There is no such operation.');
    if (plan.killed) {
      faulty.dynamodb.inject({
        operation: 'TransactWriteItems',
        about: intent.about,
        calls: [1],
        fault: {
          kind: plan.killed,
          kill: () => faulty.lambda(operation.lambda).killBusyInstances(),
        },
      });
    }
    const client = paymentsClient({
      baseUrl: `${url}/${index}`,
      token: tenant.token,
      tryForS: plan.tryForS,
    });
    const responses: unknown[] = [];
    let last: PaymentsError | undefined;
    const call = async (options: Call) => {
      try {
        responses.push(await perform(client, intent, options));
        last = undefined;
        seen.successes += 1;
      } catch (error) {
        if (!(error instanceof PaymentsError)) throw error;
        last = error;
        seen.failures += 1;
        expect(error.effect).toBe('unknown');
      }
    };
    let key: string | undefined;
    if (plan.crashesAfterMs !== null) {
      key = randomUUID();
      await call({ key, signal: AbortSignal.timeout(plan.crashesAfterMs) });
    }
    // On a busy machine no response may come as soon as the first call ends.
    for (let { tryForS } = plan; ; tryForS *= 2) {
      await call({ key, tryForS });
      key ??= last?.key;
      if (!last || !plan.isPersistent) break;
    }
    return async () => {
      const effects = await intent.effects();
      const expected = responses.length > 0 || effects.length > 0 ? 1 : 0;
      expect([plan, effects]).toEqual([plan, Array(expected).fill(expect.any(String))]);
      for (const body of responses) {
        expect(body).toEqual(responses[0]);
        expect(operation.effectOf(body)).toBe(effects[0]);
      }
    };
  };

  const checks = await pLimit(crowd).map(plans, (plan, index) => run(index, plan));
  // A request that was given up may still have its response.
  while ([...faulty.stack.functions.values()].some(({ busy }) => busy > 0)) await sleep(100);
  for (const check of checks) await check();
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(0);
});
