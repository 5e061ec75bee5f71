import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundleFunction } from '../../lib/bundles/bundles.ts';
import { bundleFile, readBases, type Subject } from './base.ts';
import type { ColdStart } from './cold-start-process.ts';
import { inTurns, type Row, rowOf } from './figures.ts';
import { requireSuccess, type Scenario, scenarios } from './scenarios.ts';
import type { Bench } from './start-bench.ts';
import { startTls } from './tls.ts';

/** DynamoDB Local and Java's compiler take this many calls of a kind to become warm. */
const warmUps = 100;
/** On a quiet machine their quartiles lie within 0.04. */
const runs = 41;

/** Each function in fresh processes, in turns with its base; then two of them without trims. */
export const measureColdStarts = async (bench: Bench): Promise<readonly Row[]> => {
  const all = await scenarios();
  await warmUp(bench, all);
  const start = await starter(bench);
  const baseOf = await readBases(all);
  const rows: Row[] = [];
  for (const scenario of all) {
    bench.progress(`cold starts: ${scenario.name} and its base, ${runs} times each`);
    const base = baseOf(scenario);
    const samples = await inTurns(runs, start(base), start(scenario));
    rows.push(rowOf(`cold: ${scenario.name}`, scenario.base, samples, scenario.cold));
  }
  for (const scenario of all.filter(({ name }) => trimmedFunctions.includes(name))) {
    bench.progress(`cold starts: ${scenario.name} without trims`);
    const codeDirectory = buildDirectory();
    await bundleFunction(scenario.name, codeDirectory, []);
    const samples = await inTurns(runs, start(scenario), start({ ...scenario, codeDirectory }));
    rows.push(rowOf(`untrimmed: ${scenario.name}`, 'trimmed', samples));
  }
  return rows;
};

/** Functions again without trims: an endpoint, and the one that loads most. */
const trimmedFunctions = ['approve-payment-request', 'deliver-offer'];

const warmUp = async (bench: Bench, all: readonly Scenario[]) => {
  bench.progress(`warming DynamoDB Local with ${warmUps} calls of each function`);
  for (const scenario of all) {
    const lambda = bench.lambda(scenario);
    for (let count = 0; count < warmUps; count++) {
      requireSuccess(scenario.name, await lambda.invoke(await scenario.newEvent()));
    }
    await lambda.stop();
  }
};

/** @returns what starts a function in a fresh process, and gives the time in milliseconds */
const starter = async (bench: Bench) => {
  const program = join(await bundleFile('cold-start-process.ts'), 'index.mjs');
  const overTls = await startTls(Object.values(bench.stack.endpoints));
  return (subject: Subject) => async (): Promise<number> => {
    const { codeDirectory, environment } = bench.settings(subject);
    const event = JSON.stringify(await subject.newEvent());
    const args = [program, join(codeDirectory, 'index.mjs'), event];
    const child = spawn(process.execPath, args, {
      // Nothing of the shell that the bench runs in.
      env: { ...overTls(environment), TZ: ':UTC' },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    const [result, [code]] = await Promise.all([
      text(child.stdio[3] as NodeJS.ReadableStream),
      once(child, 'exit'),
    ]);
    if (code !== 0)
      throw new Error(`A cold start of ${subject.name} ended with exit code ${code}.`);
    const { response, totalMs }: ColdStart = JSON.parse(result);
    requireSuccess(subject.name, response);
    return totalMs;
  };
};
