import { createServer } from 'node:net';
import { Transform } from 'node:stream';
import { listen, passOn } from '../../test/support/forward.ts';
import { readBases } from './base.ts';
import { inTurns, type Row, rowOf } from './figures.ts';
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
    const subjects = [baseOf(scenario), scenario].map((subject) => ({
      ...subject,
      lambda: bench.lambda(subject, environment),
    }));
    const measures = subjects.map(({ name, newEvent, lambda }) => async () => {
      const event = await newEvent();
      const begin = performance.now();
      requireSuccess(name, await lambda.invoke(event));
      return performance.now() - begin;
    });
    await inTurns(warmUps, ...measures);
    const samples = await inTurns(runs, ...measures);
    for (const { lambda } of subjects) await lambda.stop();
    rows.push(rowOf(`away: ${scenario.name}`, scenario.base, samples, scenario.away));
  }
  return rows;
};
