import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deviations } from '../../lib/openapi/contract.ts';
import { operationIds, problemsOf } from '../../lib/openapi/operations.ts';
import { type FuzzRequest, fuzzRequest } from './fuzz-request.ts';
import { callsItWrong, operationOf, requestFaults } from './request-faults.ts';
import { send } from './send.ts';
import { newWorld } from './world.ts';

const seed = Number(process.env.FUZZ_SEED ?? 1);
const cases = Number(process.env.FUZZ_CASES ?? 5000);
/** How many requests are under way at once. */
const crowd = 20;

/** Not to be had from a healthy service that is not asked too often. */
const troubles = [
  'request_blocked',
  'rate_limited',
  'internal_error',
  'unavailable',
  'outcome_unknown',
];
/** Chance decides whether one comes, or no operation answers it. */
const rare = ['body_too_large', 'idempotency_key_in_use', 'method_not_allowed', 'route_not_found'];

test('whatever is asked, the answer is one that openapi.json documents', {
  timeout: 200 * cases,
}, async () => {
  const seen = new Set<string>();
  let asked = 0;
  const check = async (request: FuzzRequest) => {
    const answer = await send(request);
    const { code = 'none' } = (answer.body ?? {}) as { code?: string };
    seen.add(`${operationOf(request)} ${code}`);
    asked += 1;
    const faults = requestFaults(request);
    return [
      ...deviations(request.method, request.url, answer),
      ...(troubles.includes(code) ? [`It was answered ${code}.`] : []),
      ...(faults.length === 0 && callsItWrong.has(code)
        ? [`The document allows it: ${JSON.stringify(answer.body)}`]
        : []),
      ...(faults.length > 0 && answer.status < 400 ? [`It was accepted, but ${faults}.`] : []),
    ].map((failure) => `${failure}\n${JSON.stringify(request)}`);
  };

  await fc.assert(
    fc.asyncProperty(
      fc.array(fuzzRequest(await newWorld()), { minLength: crowd, maxLength: crowd }),
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
