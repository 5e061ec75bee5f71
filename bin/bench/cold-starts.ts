import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { keys } from '../../functions/store/keys.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundleFunction } from '../../lib/bundles/bundles.ts';
import { newTenant } from '../testing/tenants.ts';
import { bundleFile } from './bundle-file.ts';
import type { ColdStart } from './cold-start-process.ts';
import { comparisonOf, inTurns } from './in-turns.ts';
import type { Row } from './row.ts';
import { requireSuccess, type Scenario, scenarios } from './scenarios.ts';
import type { Bench } from './start-bench.ts';
import { startTls, type Tls } from './tls.ts';

/** DynamoDB Local and Java's compiler take this many calls of a kind to become warm. */
const warmUps = 100;
const runs = 17;

/** Each function in fresh processes, in turns with the floor; then two of them without trims. */
export const measureColdStarts = async (bench: Bench): Promise<readonly Row[]> => {
  const all = await scenarios();
  await warmUp(bench, all);
  const tls = await startTls(Object.values(bench.stack.endpoints));
  const start = await starter(bench, tls);
  const floor = await newFloor();

  bench.progress(`cold starts: ${all.length} functions and the floor, ${runs} times each`);
  const rows: Row[] = [];
  for (const scenario of all) {
    const measures = { base: () => start(floor), ours: () => start(scenario) };
    const { base, ours } = await inTurns(runs, measures);
    const target = scenario.name.endsWith('with a key') ? 0.95 : 0.9;
    rows.push(comparisonOf(`cold: ${scenario.name}`, ours, base, target));
  }
  for (const scenario of all.filter(({ name }) => trimmedFunctions.includes(name))) {
    bench.progress(`cold starts: ${scenario.name} without trims`);
    const instead = buildDirectory();
    await bundleFunction(scenario.name, instead, []);
    const measures = {
      trimmed: () => start(scenario),
      whole: () => start({ ...scenario, instead }),
    };
    const { trimmed, whole } = await inTurns(runs, measures);
    rows.push(comparisonOf(`untrimmed: ${scenario.name}`, whole, trimmed));
  }
  tls.stop();
  return rows;
};

/** Functions again without trims: an endpoint, and the one that loads most. */
const trimmedFunctions = ['approve-payment-request', 'deliver-offer'];

const warmUp = async (bench: Bench, all: readonly Scenario[]) => {
  bench.progress(`warming DynamoDB Local with ${warmUps} calls of each function`);
  for (const { name, functionName, newEvent } of all) {
    const lambda = bench.lambda(functionName);
    for (let count = 0; count < warmUps; count++) {
      requireSuccess(name, await lambda.invoke(await newEvent()));
    }
    await lambda.stop();
  }
};

/** What is started: a function as it is deployed, or with another bundle in its place. */
type Started = Scenario & { readonly instead?: string };

/** Starts it in a fresh process, and gives the time in milliseconds. */
type Start = (started: Started) => Promise<number>;

const starter = async (bench: Bench, tls: Tls): Promise<Start> => {
  const program = join(await bundleFile('cold-start-process.ts'), 'index.mjs');
  return async ({ name, functionName, newEvent, instead }) => {
    const { codeDirectory, environment } = bench.deployed(functionName);
    const bundle = join(instead ?? codeDirectory, 'index.mjs');
    const child = spawn(process.execPath, [program, bundle, JSON.stringify(await newEvent())], {
      // Nothing of the shell that the bench runs in.
      env: { ...tls.environment(environment), TZ: ':UTC' },
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    });
    const [result, [code]] = await Promise.all([
      text(child.stdio[3] as NodeJS.ReadableStream),
      once(child, 'exit'),
    ]);
    if (code !== 0) throw new Error(`A cold start of ${name} ended with exit code ${code}.`);
    const { response, totalMs }: ColdStart = JSON.parse(result);
    requireSuccess(name, response);
    return totalMs;
  };
};

/** The floor, in the environment of a function that calls nothing but DynamoDB. */
const newFloor = async (): Promise<Started> => {
  const event = { key: keys.workspace((await newTenant()).workspace) };
  const instead = await bundleFile('floor.ts');
  return { name: 'floor', functionName: 'authorize', newEvent: async () => event, instead };
};
