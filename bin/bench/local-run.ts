import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '../../functions/domain/routes.ts';
import { operationIds, requestOf } from '../../lib/openapi/operations.ts';
import { inParallel } from '../admin/table/in-parallel.ts';
import type { StackFile } from '../stack-file/stack-file.ts';
import { copyProject } from '../testing/copy-project.ts';
import { sendOperation } from '../testing/send-request.ts';
import { childrenOf, root, startLocalRun } from '../testing/start-local-run.ts';
import { durationOf } from './in-turns.ts';
import type { Part } from './row.ts';
import { spreadOf } from './spread.ts';

const usualRuns = 3;
const clients = 32;
const requests = 5000;
const samplingMs = 500;
/** What follows the requests is over by then, and the garbage of the start is collected. */
const quietMs = 5000;
const saves = 10;

/**
 * `npm start` with all its processes, npm and Java included: how long it takes, its memory, and how
 * soon it runs what is saved. Linux alone says how much memory each process has for itself.
 */
export const localRun: Part = {
  name: 'local-run',
  measure: async ({ progress, runs: repeated }) => {
    if (!existsSync('/proc/self/smaps_rollup')) return [];
    const samples: Sample[] = [];
    const runs = repeated(usualRuns);
    for (let run = 1; run <= runs; run++) {
      progress(`npm start: ${requests} requests of ${clients} clients (${run}/${runs})`);
      samples.push(await measureRun());
    }
    progress(`npm start -- --watch: ${saves} saves`);
    const spread = (name: keyof Sample) => spreadOf(samples.map((sample) => sample[name]));
    return [
      { what: 'npm start', measured: spread('startMs'), unit: 'ms' },
      { what: 'Memory of npm start', measured: spread('atStartMb'), unit: 'MB', target: 400 },
      {
        what: `Memory of npm start, at most under ${requests} requests`,
        measured: spread('underLoadMb'),
        unit: 'MB',
        target: 1000,
      },
      { what: 'A save of a function', measured: spreadOf(await saveTimes()), unit: 'ms' },
    ];
  },
};

interface Sample {
  readonly startMs: number;
  readonly atStartMb: number;
  readonly underLoadMb: number;
}

const measureRun = async (): Promise<Sample> => {
  const run = startLocalRun({ directory: root, command: ['npm', 'start', '--'] });
  try {
    const begin = performance.now();
    const file = await run.welcomed();
    const startMs = performance.now() - begin;
    await sleep(quietMs);
    const during = [memoryOf(run.child.pid)];
    const sampling = setInterval(() => during.push(memoryOf(run.child.pid)), samplingMs);
    await sendRequests(file);
    await sleep(quietMs);
    clearInterval(sampling);
    return { startMs, atStartMb: during[0] ?? 0, underLoadMb: Math.max(...during) };
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

/** Of a process and all that it has started, in MB: the sum of their proportional set sizes. */
const memoryOf = (pid: number | undefined): number =>
  childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), ownMemoryOf(pid));

/** Nothing of a process that has ended meanwhile. */
const ownMemoryOf = (pid: number | undefined): number => {
  try {
    const [, kb] = /^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0;
  }
};

/** From saving a function's file until its next request runs what was saved, in milliseconds. */
const saveTimes = async (): Promise<number[]> => {
  const project = join(mkdtempSync(join(tmpdir(), 'bench-')), 'project');
  copyProject(project);
  const file = join(project, 'functions/list-sandboxes.ts');
  const source = readFileSync(file, 'utf8');
  const run = startLocalRun({ project, args: ['--watch'] });
  const announced = () => run.output().split('Saved, runs from now on').length;
  try {
    await run.welcomed();
    const times: number[] = [];
    for (let save = 1; save <= saves; save++) {
      const before = announced();
      writeFileSync(file, `${source}export const saved = ${save};\n`);
      times.push(
        await durationOf(async () => {
          while (announced() === before) await sleep(1);
        }),
      );
    }
    return times;
  } finally {
    await run.stop();
    rmSync(join(project, '..'), { recursive: true });
  }
};
