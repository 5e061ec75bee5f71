import { createServer } from 'node:net';
import { Transform } from 'node:stream';
import type { LambdaFunction } from '../../lib/local/local-engine.ts';
import { readBases, type Subject } from './base.ts';
import { listen, passOn } from './forward.ts';
import { comparisonOf, inTurns } from './in-turns.ts';
import type { Row } from './row.ts';
import { endpointScenarios, requireSuccess } from './scenarios.ts';
import type { Bench } from './start-bench.ts';

const runs = 60;
const warmUps = 10;
const delayMs = 5;
/** Each request takes this long to the service. */
const delay = () =>
  new Transform({ transform: (chunk, _, done) => setTimeout(done, delayMs, null, chunk) });

/** Warm requests with the database a network away, as on AWS: round trips are what counts. */
export const measureDistance = async (bench: Bench): Promise<readonly Row[]> => {
  const far = createServer({ noDelay: true }, passOn(bench.stack.endpoints.dynamodb, delay));
  const environment = { AWS_ENDPOINT_URL_DYNAMODB: `http://${await listen(far)}` };
  const all = await endpointScenarios();
  const baseOf = await readBases(all);
  const rows: Row[] = [];
  for (const scenario of all) {
    bench.progress(`requests with the database ${delayMs} ms away: ${scenario.name} and its base`);
    const lambdas: LambdaFunction[] = [];
    const measureOf = (subject: Subject) => {
      const lambda = bench.lambda(subject, environment);
      lambdas.push(lambda);
      return async () => {
        const event = await subject.newEvent();
        const begin = performance.now();
        requireSuccess(subject.name, await lambda.invoke(event));
        return performance.now() - begin;
      };
    };
    const measures = { base: measureOf(baseOf(scenario)), ours: measureOf(scenario) };
    const { base, ours } = await inTurns(runs, measures, warmUps);
    for (const lambda of lambdas) await lambda.stop();
    rows.push(comparisonOf(`away: ${scenario.name}`, scenario.base, ours, base, scenario.away));
  }
  far.close();
  return rows;
};
