import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../functions/domain/routes.ts';
import { operationIds, requestOf } from '../../lib/openapi/operations.ts';
import { sendOperation } from '../../test/support/send-request.ts';
import { inParallel } from '../admin/table/in-parallel.ts';
import type { StackFile } from '../local-run/stack-file.ts';
import { root, startLocalRun } from '../local-run/test/local-run.ts';
import { figure } from './markdown-table.ts';
import type { Part, Row } from './row.ts';
import { spreadOf } from './spread.ts';

const usualRuns = 3;
const clients = 32;
const requests = 5000;
const samplingMs = 500;
/** What follows the requests is over by then, and the garbage of the start is collected. */
const quietMs = 5000;
const restMs = 20_000;

/**
 * `npm start` with all its processes, npm and Java included: how long it takes, its memory, and
 * what it computes while nobody asks. Linux alone says how much memory each process has for itself.
 */
export const memory: Part = {
  name: 'memory',
  measure: async (bench) => {
    if (!existsSync('/proc/self/smaps_rollup')) return [];
    const samples: Sample[] = [];
    const runs = bench.runs(usualRuns);
    for (let run = 1; run <= runs; run++) {
      bench.progress(
        `memory of npm start: ${requests} requests of ${clients} clients (${run}/${runs})`,
      );
      samples.push(await measureRun());
    }
    return [
      { what: 'npm start', measured: spreadOf(samples.map(({ startMs }) => startMs)), unit: 'ms' },
      rowOf('Memory of npm start', samples, 'atStart', 400),
      rowOf(`Memory of npm start, at most under ${requests} requests`, samples, 'underLoad', 1000),
      {
        what: 'CPU of npm start at rest',
        measured: spreadOf(samples.map(({ cpuAtRest }) => cpuAtRest)),
        unit: '% of a core',
        target: 5,
        note: `in ${restMs / 1000} s without a request`,
      },
    ];
  },
};

interface Memory {
  /** With shared pages counted once: the sum of the processes' proportional set sizes. */
  readonly proportionalMb: number;
  /** With shared pages counted in each process: the sum of their resident set sizes. */
  readonly residentMb: number;
}

interface Sample {
  readonly startMs: number;
  readonly atStart: Memory;
  /** In percent of one core. */
  readonly cpuAtRest: number;
  readonly underLoad: Memory;
}

const rowOf = (
  what: string,
  samples: readonly Sample[],
  when: 'atStart' | 'underLoad',
  most: number,
): Row => ({
  what,
  measured: spreadOf(samples.map((sample) => sample[when].proportionalMb)),
  unit: 'MB',
  target: most,
  note: `PSS of all its processes; RSS ${figure(spreadOf(samples.map((sample) => sample[when].residentMb)).median)} MB`,
});

const measureRun = async (): Promise<Sample> => {
  const begin = performance.now();
  const run = startLocalRun({ directory: root, command: ['npm', 'start', '--'] });
  const { pid } = run.child;
  try {
    const file = await run.welcomed();
    const startMs = performance.now() - begin;
    await sleep(quietMs);
    const atStart = memoryOf(pid);
    const cpuMs = cpuMsOf(pid);
    await sleep(restMs);
    const cpuAtRest = (100 * (cpuMsOf(pid) - cpuMs)) / restMs;
    const during = [atStart];
    const sampling = setInterval(() => during.push(memoryOf(pid)), samplingMs);
    await sendRequests(file);
    await sleep(quietMs);
    clearInterval(sampling);
    const most = (name: keyof Memory) => Math.max(...during.map((each) => each[name]));
    return {
      startMs,
      atStart,
      cpuAtRest,
      underLoad: { proportionalMb: most('proportionalMb'), residentMb: most('residentMb') },
    };
  } finally {
    await run.stop();
  }
};

/** Each endpoint in turn; what it answers is another measurement's business. */
const sendRequests = async ({ url, tokens }: StackFile) => {
  const sends = operationIds.map((operation) => {
    const target = operation === 'listSandboxes' ? { limit: '100' } : undefined;
    const request = requestOf(operation, target);
    return () => sendOperation(url, routes[operation], request, { token: tokens.live });
  });
  const inTurn = Array.from({ length: requests }, (_, index) => sends[index % sends.length]);
  await Array.fromAsync(inParallel(inTurn, clients, async (send) => (await send?.())?.status));
};

const memoryOf = (pid: number | undefined): Memory => {
  const rollups = treeOf(pid).map(readRollup);
  const sum = (line: RegExp) =>
    rollups.reduce((kb, rollup) => kb + Number(line.exec(rollup)?.[1] ?? 0), 0) / 1024;
  return { proportionalMb: sum(/^Pss: +(\d+)/m), residentMb: sum(/^Rss: +(\d+)/m) };
};

/** A process and everything that it has started. */
const treeOf = (pid: number | undefined): number[] => {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), parentOf(Number(name))] as const);
  const withChildren = (parent: number): number[] => [
    parent,
    ...parents.filter(([, other]) => other === parent).flatMap(([child]) => withChildren(child)),
  ];
  return pid === undefined ? [] : withChildren(pid);
};

const parentOf = (pid: number): number => Number(statOf(pid)[1]);

/** What the processes have computed so far: the fields utime and stime, in ticks of 10 ms. */
const cpuMsOf = (pid: number | undefined): number =>
  treeOf(pid)
    .map(statOf)
    .reduce((ms, { 11: user = 0, 12: system = 0 }) => ms + 10 * (Number(user) + Number(system)), 0);

/** The fields after the process's name, which is in parentheses and may hold any character. */
const statOf = (pid: number): string[] =>
  readIfThere(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ');

const readRollup = (pid: number): string => readIfThere(`/proc/${pid}/smaps_rollup`);

/** Processes come and go while they are looked at. */
const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};
