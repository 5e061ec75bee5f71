import { randomUUID } from 'node:crypto';
import { LambdaFunction } from '../../lib/local/local-engine.ts';
import { comparisonOf, durationOf, inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess, scenarios } from './scenarios.ts';
import { startTls } from './tls.ts';

const usualRuns = 60;
const warmUps = 10;
const delayMs = 5;
/** The request that the others are compared with: it reads once, and writes once. */
const base = 'resend-offer';

/** Warm requests with the database a network away, where AWS has it: round trips are what counts. */
export const distance: Part = {
  name: 'distance',
  measure: async (bench) => {
    bench.progress(`requests with the database ${delayMs} ms away`);
    const tls = await startTls([bench.stack.endpoints.dynamodb], delayMs);
    const names = new Map<string, () => Promise<number>>();
    const lambdas: LambdaFunction[] = [];
    for (const { name, functionName, newEvent } of await scenarios()) {
      if (!/^(approve|create|list|resend)/.test(name) || name.includes(',')) continue;
      const { environment, ...settings } = bench.deployed(functionName);
      const far = { ...settings, environment: tls.environment(environment), timeoutMs: 60_000 };
      const lambda = new LambdaFunction(far, () => {});
      lambdas.push(lambda);
      const measure = (headers: () => Record<string, string>) => async () => {
        const event = { ...((await newEvent()) as object), multiValueHeaders: undefined };
        const sent = withHeaders(event, headers());
        return durationOf(async () => requireSuccess(name, await lambda.invoke(sent)));
      };
      names.set(
        name,
        measure(() => ({})),
      );
      if (name.startsWith('list')) continue;
      names.set(
        `${name}, with a key`,
        measure(() => ({ 'Idempotency-Key': randomUUID() })),
      );
    }
    const samples = await inTurns(bench.runs(usualRuns), Object.fromEntries(names), warmUps);
    for (const lambda of lambdas) await lambda.stop();
    tls.stop();
    return Object.entries(samples).map(
      ([name, all]): Row =>
        comparisonOf(`${delayMs} ms away: ${name}`, all, samples[base] ?? [], targets[name]),
    );
  },
};

/** Against the base: each further round trip is about half of it. */
const targets: Readonly<Record<string, number>> = {
  'approve-payment-request': 1.15,
  'approve-payment-request, with a key': 1.25,
  'create-sandbox': 0.6,
  'create-sandbox, with a key': 1.15,
  'list-sandboxes': 0.6,
  'resend-offer, with a key': 1.1,
};

const withHeaders = (event: object, more: Record<string, string>): object => ({
  ...event,
  headers: { ...(event as { headers?: object }).headers, ...more },
});
