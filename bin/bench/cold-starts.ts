import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { keys } from '../../functions/store/keys.ts';
import type { FunctionSettings } from '../../lib/local/local-engine.ts';
import { newTenant } from '../../test/support/tenants.ts';
import { bundleFile, untrimmed } from './bundling.ts';
import type { ColdStart } from './cold-start-process.ts';
import { comparisonOf, inTurns } from './in-turns.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess, type Scenario, scenarios } from './scenarios.ts';
import type { Bench } from './start-bench.ts';
import { startTls, type Tls } from './tls.ts';

/** DynamoDB Local and Java's compiler take this many calls of a kind to become warm. */
const warmUps = 100;
const usualRuns = 17;

/**
 * Each function in fresh processes, in turns with the floor; then one function without each trim.
 */
export const coldStarts: Part = {
  name: 'cold-starts',
  measure: async (bench) => {
    const all = await scenarios();
    await warmUp(bench, all);
    const tls = await startTls(Object.values(bench.stack.endpoints));
    const start = await starter(bench, tls);
    const runs = bench.runs(usualRuns);

    bench.progress(`cold starts: ${all.length} functions and the floor, ${runs} times each`);
    const rows: Row[] = [];
    for (const scenario of all) {
      const { floor, ours } = await inTurns(runs, {
        floor: start.floor,
        ours: () => start.deployed(scenario),
      });
      const target = scenario.name.endsWith('with a key') ? 0.95 : 0.9;
      rows.push(comparisonOf(`Cold start: ${scenario.name}`, ours, floor, target));
    }
    rows.push(...(await withoutTrims(bench, all, start, runs)));
    tls.stop();
    return rows;
  },
};

/** A bundle and what it runs with. */
type Deployed = Pick<FunctionSettings, 'codeDirectory' | 'environment'>;

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

/** What starts a function in a fresh process, and gives its time in milliseconds. */
interface Starter {
  readonly floor: () => Promise<number>;
  /** As it is deployed, or something else in its place. */
  readonly deployed: (scenario: Scenario, instead?: Deployed) => Promise<number>;
}

const starter = async (bench: Bench, tls: Tls): Promise<Starter> => {
  const program = await bundleFile(join(import.meta.dirname, 'cold-start-process.ts'));
  const floor = await bundleFile(join(import.meta.dirname, 'floor.ts'));
  const { workspace } = await newTenant();
  const key = keys.workspace(workspace);
  const { environment } = bench.deployed('authorize');
  const start = (bundle: string, event: unknown, plain: Readonly<Record<string, string>>) =>
    coldStart(program, bundle, event, tls.environment(plain));
  return {
    floor: async () => (await start(floor, { key }, environment)).totalMs,
    deployed: async ({ name, functionName, newEvent }, instead) => {
      const { codeDirectory, environment } = instead ?? bench.deployed(functionName);
      const bundle = join(codeDirectory, 'index.mjs');
      const { answer, totalMs } = await start(bundle, await newEvent(), environment);
      requireSuccess(name, answer);
      return totalMs;
    },
  };
};

/** One function again, with each of its trims taken back in turns: its bundle has all of them. */
const trimmedFunction = 'deliver-offer';

const withoutTrims = async (
  bench: Bench,
  all: readonly Scenario[],
  start: Starter,
  runs: number,
): Promise<Row[]> => {
  const scenario = all.find(({ name }) => name === trimmedFunction);
  if (!scenario) throw new Error(`No scenario is called ${trimmedFunction}.`);
  bench.progress(`cold starts: ${trimmedFunction} without each of its trims`);
  const { environment } = bench.deployed(trimmedFunction);
  const variants = [...(await untrimmed(trimmedFunction))].map(
    ([name, codeDirectory]) =>
      [name, () => start.deployed(scenario, { codeDirectory, environment })] as const,
  );
  const { trimmed, ...others } = await inTurns<string>(runs, {
    trimmed: () => start.deployed(scenario),
    ...Object.fromEntries(variants),
  });
  return Object.entries(others).map(([name, samples]) =>
    comparisonOf(name, samples, trimmed ?? []),
  );
};

const coldStart = async (
  program: string,
  bundle: string,
  event: unknown,
  environment: Readonly<Record<string, string>>,
): Promise<ColdStart> => {
  const child = spawn(process.execPath, [program, bundle, JSON.stringify(event)], {
    // Nothing of the shell that the bench runs in.
    env: { ...environment, TZ: ':UTC' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const [result, [code]] = await Promise.all([
    text(child.stdio[3] as NodeJS.ReadableStream),
    once(child, 'exit'),
  ]);
  if (code !== 0) throw new Error(`A cold start of ${bundle} ended with exit code ${code}.`);
  return JSON.parse(result);
};
