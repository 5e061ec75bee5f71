import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { LambdaFunction } from '../../lib/local/local-engine.ts';
import { comparisonOf, durationOf, inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess, scenarios } from './scenarios.ts';

const usualRuns = 60;
const warmUps = 10;
const delayMs = 5;
/** The request that the others are compared with: it reads once, and writes once. */
const base = 'resend-offer';

/** Warm requests with the database a network away, as on AWS: round trips are what counts. */
export const distance: Part = {
  name: 'distance',
  measure: async (bench) => {
    bench.progress(`requests with the database ${delayMs} ms away`);
    const far = await startDelay(bench.stack.endpoints.dynamodb);
    const measures = new Map<string, () => Promise<number>>();
    const lambdas: LambdaFunction[] = [];
    for (const { name, functionName, newEvent } of await scenarios()) {
      if (!/^(approve|create|list|resend)/.test(name) || name.includes(',')) continue;
      const lambda = bench.lambda(functionName, { AWS_ENDPOINT_URL_DYNAMODB: far.url });
      lambdas.push(lambda);
      const measure = (prepare: (event: unknown) => unknown) => async () => {
        const event = prepare(await newEvent());
        return durationOf(async () => requireSuccess(name, await lambda.invoke(event)));
      };
      measures.set(
        name,
        measure((event) => event),
      );
      if (!name.startsWith('list')) measures.set(`${name}, with a key`, measure(withKey));
    }
    const samples = await inTurns(bench.runs(usualRuns), Object.fromEntries(measures), warmUps);
    for (const lambda of lambdas) await lambda.stop();
    far.stop();
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

const withKey = (event: unknown): unknown => {
  const { multiValueHeaders } = event as APIGatewayProxyEvent;
  const more = { 'Idempotency-Key': [randomUUID()] };
  return { ...(event as object), multiValueHeaders: { ...multiValueHeaders, ...more } };
};

/** A way to a service on which each request takes some time. */
const startDelay = async (endpoint: string) => {
  const { hostname, port } = new URL(endpoint);
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
    const delayed = new Transform({
      transform: (chunk, _, done) => setTimeout(done, delayMs, null, chunk),
    });
    void pipeline(client, delayed, upstream, client).catch(() => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, stop: () => server.close() };
};
