import { createServer } from 'node:net';
import { Transform } from 'node:stream';
import { newOpaque } from '../../functions/runtime/identity.ts';
import type { LambdaFunction } from '../../lib/local/local-engine.ts';
import { listen, passOn } from './forward.ts';
import { comparisonOf, inTurns } from './in-turns.ts';
import type { Row } from './row.ts';
import { requireSuccess, scenarios } from './scenarios.ts';
import type { Bench } from './start-bench.ts';

const runs = 60;
const warmUps = 10;
const delayMs = 5;
/** Each request takes this long to the service. */
const delay = () =>
  new Transform({ transform: (chunk, _, done) => setTimeout(done, delayMs, null, chunk) });
/** The request that the others are compared with: it reads once, and writes once. */
const base = 'resend-offer';

/** Warm requests with the database a network away, as on AWS: round trips are what counts. */
export const measureDistance = async (bench: Bench): Promise<readonly Row[]> => {
  bench.progress(`requests with the database ${delayMs} ms away`);
  const far = createServer({ noDelay: true }, passOn(bench.stack.endpoints.dynamodb, delay));
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: `http://${await listen(far)}` };
  const measures = new Map<string, () => Promise<number>>();
  const lambdas: LambdaFunction[] = [];
  for (const { name, functionName, newEvent } of await scenarios()) {
    if (!/^(approve|create|list|resend)/.test(name) || name.includes(',')) continue;
    const lambda = bench.lambda(functionName, environment);
    lambdas.push(lambda);
    const measure = (keyed: boolean) => async () => {
      const event = await newEvent(keyed ? newOpaque() : undefined);
      const begin = performance.now();
      requireSuccess(name, await lambda.invoke(event));
      return performance.now() - begin;
    };
    measures.set(name, measure(false));
    if (!name.startsWith('list')) measures.set(`${name}, with a key`, measure(true));
  }
  const samples = await inTurns(runs, Object.fromEntries(measures), warmUps);
  for (const lambda of lambdas) await lambda.stop();
  far.close();
  return Object.entries(samples).map(([name, all]) =>
    comparisonOf(`away: ${name}`, all, samples[base] ?? [], targets[name]),
  );
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
