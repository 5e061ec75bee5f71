import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { keys } from '../../functions/store/keys.ts';
import type { FunctionSettings } from '../../lib/local/local-engine.ts';
import { newTenant } from '../../test/support/tenants.ts';
import { bundleFile, untrimmed } from './bundling.ts';
import type { ColdStart } from './cold-start-process.ts';
import { inTurns } from './in-turns.ts';
import { figure } from './markdown-table.ts';
import type { Part, Row } from './row.ts';
import { requireSuccess, type Scenario, scenarios } from './scenarios.ts';
import { type Spread, spreadOf } from './spread.ts';
import type { Bench } from './start-bench.ts';
import { startTls, type Tls } from './tls.ts';

/** DynamoDB Local and Java's compiler take this many calls of a kind to become warm. */
const warmUps = 100;
const usualRuns = 17;

/** A bar of the chart. */
export interface Bar {
  readonly name: string;
  readonly group: 'floor' | 'functions' | 'trims';
  readonly totalMs: Spread;
}

/**
 * Each function in fresh processes, in turns with the floor; then one function without each trim.
 */
export const coldStarts: Part & { readonly bars: Bar[] } = {
  name: 'cold-starts',
  bars: [],
  measure: async (bench) => {
    const all = await scenarios();
    await warmUp(bench, all);
    const tls = await startTls(Object.values(bench.stack.endpoints));
    const start = await starter(bench, tls);
    const runs = bench.runs(usualRuns);

    bench.progress(`cold starts: ${all.length} functions and the floor, ${runs} times each`);
    const pairs = new Map(all.map(({ name }): [string, Pair[]] => [name, []]));
    for (let run = 0; run < runs; run++) {
      for (const scenario of run % 2 ? all.toReversed() : all) {
        const floor = await start.floor();
        pairs.get(scenario.name)?.push({ floor, ours: await start.deployed(scenario) });
      }
    }
    coldStarts.bars.push(
      {
        name: 'floor',
        group: 'floor',
        totalMs: spreadOf([...pairs.values()].flat().map(({ floor }) => floor.totalMs)),
      },
      ...[...pairs].map(
        ([name, all]): Bar => ({
          name,
          group: 'functions',
          totalMs: spreadOf(all.map(({ ours }) => ours.totalMs)),
        }),
      ),
      ...(await withoutTrims(bench, all, start, runs)),
    );
    tls.stop();
    return [...pairs].map(
      ([name, all]): Row => ({
        what: `Cold start: ${name}`,
        measured: spreadOf(all.map(({ ours, floor }) => ours.totalMs / floor.totalMs)),
        unit: '×',
        target: name.endsWith('with a key') ? 0.95 : 0.9,
        note: `${medianOf(all, 'ours')} against ${medianOf(all, 'floor')} ms`,
      }),
    );
  },
};

/** A bundle and what it runs with. */
type Deployed = Pick<FunctionSettings, 'codeDirectory' | 'environment'>;

/**
 * A cold start of ours and one of the floor just before, so that the machine was as busy for both.
 */
interface Pair {
  readonly floor: ColdStart;
  readonly ours: ColdStart;
}

const medianOf = (pairs: readonly Pair[], which: keyof Pair) =>
  figure(spreadOf(pairs.map((pair) => pair[which].totalMs)).median);

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

interface Starter {
  readonly floor: () => Promise<ColdStart>;
  /** As it is deployed, or something else in its place. */
  readonly deployed: (scenario: Scenario, instead?: Deployed) => Promise<ColdStart>;
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
    floor: () => start(floor, { key }, environment),
    deployed: async ({ name, functionName, newEvent }, instead) => {
      const { codeDirectory, environment } = instead ?? bench.deployed(functionName);
      const bundle = join(codeDirectory, 'index.mjs');
      const started = await start(bundle, await newEvent(), environment);
      requireSuccess(name, started.answer);
      return started;
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
): Promise<Bar[]> => {
  const scenario = all.find(({ name }) => name === trimmedFunction);
  if (!scenario) throw new Error(`No scenario is called ${trimmedFunction}.`);
  bench.progress(`cold starts: ${trimmedFunction} without each of its trims`);
  const deployed = bench.deployed(scenario.functionName);
  const { codeDirectory, environment } = deployed;
  const untrimmedBundles = await untrimmed(scenario.functionName);
  const variants = new Map<string, Deployed>([
    [trimmedFunction, deployed],
    ...[...untrimmedBundles].map(
      ([name, codeDirectory]) => [name, { codeDirectory, environment }] as const,
    ),
    [
      'with source maps read',
      { codeDirectory, environment: { ...environment, NODE_OPTIONS: '--enable-source-maps' } },
    ],
  ]);
  const samples = await inTurns<string>(
    runs,
    Object.fromEntries(
      [...variants].map(([name, variant]) => [
        name,
        async () => (await start.deployed(scenario, variant)).totalMs,
      ]),
    ),
  );
  return Object.entries(samples).map(([name, totals]) => ({
    name,
    group: 'trims',
    totalMs: spreadOf(totals),
  }));
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
