import { Agent } from 'node:http';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { operationIds, problemsOf } from '../../lib/openapi/operations.ts';
import { contractPartOf, deviations } from '../support/contract.ts';
import { rawRequest } from '../support/raw-request.ts';
import { stack } from '../support/running-stack.ts';
import { type FuzzRequest, fuzzRequest } from './fuzz-request.ts';
import { newFuzzTargets } from './fuzz-targets.ts';
import { troubles } from './troubles.ts';

const agent = new Agent({ keepAlive: true });

const seed = Number(process.env.FUZZ_SEED ?? 1);
const cases = Number(process.env.FUZZ_CASES ?? 1000);
/** How many requests are under way at once. */
const crowd = 20;

/** Chance decides whether one comes, or no operation answers it. */
const rare = ['body_too_large', 'idempotency_key_in_use', 'method_not_allowed', 'route_not_found'];

test('whatever is asked, the answer is one that openapi.json documents', {
  timeout: 200 * cases,
}, async () => {
  const seen = new Set<string>();
  let asked = 0;
  const check = async (request: FuzzRequest) => {
    const { method, url: path, body } = request;
    const length = body !== undefined && { 'Content-Length': Buffer.byteLength(body) };
    const headers = { ...request.headers, ...length };
    const { text, ...received } = await rawRequest(
      stack.url,
      { method, path, headers, agent },
      body,
    );
    const answer = { ...received, body: method === 'HEAD' ? undefined : JSON.parse(text) };
    const { code = 'none' } = (answer.body ?? {}) as { code?: string };
    const { operation } = contractPartOf(method, path);
    seen.add(`${operation?.operationId} ${code}`);
    asked += 1;
    return [
      ...deviations(request.method, request.url, answer),
      ...(troubles.includes(code) ? [`It was answered ${code}.`] : []),
    ].map((failure) => `${failure}\n${JSON.stringify(request)}`);
  };

  await fc.assert(
    fc.asyncProperty(
      fc.array(fuzzRequest(await newFuzzTargets()), { minLength: crowd, maxLength: crowd }),
      async (requests) => {
        expect((await Promise.all(requests.map(check))).flat()).toEqual([]);
      },
    ),
    { seed, numRuns: Math.ceil(cases / crowd) },
  );

  expect(asked).toBeGreaterThanOrEqual(cases);
  const missed = operationIds.flatMap((operation) =>
    problemsOf(operation)
      .filter((code) => ![...troubles, ...rare].includes(code))
      .map((code) => `${operation} ${code}`)
      .filter((kind) => !seen.has(kind)),
  );
  expect(missed, `FUZZ_SEED=${seed} FUZZ_CASES=${cases}`).toEqual([]);
});
