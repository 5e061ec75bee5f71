import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { demo } from '../../lib/openapi/demo.ts';
import { copyProject } from '../support/copy-project.ts';
import { startLocalRun } from '../support/local-run.ts';
import { sendRequest } from '../support/send-request.ts';
import { figure } from './markdown-table.ts';
import type { Part } from './row.ts';
import { spreadOf } from './spread.ts';

const usualRuns = 9;
const pollMs = 10;

/**
 * From a save in `functions` to the first answer of the new code, against a start of the service.
 */
export const loop: Part = {
  name: 'loop',
  measure: async (bench) => {
    const parent = mkdtempSync(join(tmpdir(), 'payments-bench-'));
    const project = join(parent, 'project');
    copyProject(project);
    bench.progress('loop: a start');
    const plain = await startService(project, []);
    await plain.stop();
    const watched = await startService(project, ['--watch']);
    const samples: number[] = [];
    const runs = bench.runs(usualRuns);
    for (let run = 1; run <= runs; run++) {
      bench.progress(`loop: a save (${run}/${runs})`);
      samples.push(await measureSave(project, watched.url, run));
    }
    await watched.stop();
    rmSync(parent, { recursive: true, force: true });
    return [
      {
        what: 'From a save in functions/ to the first answer of the new code, against a start',
        measured: spreadOf(samples.map((sample) => sample / plain.tookMs)),
        unit: '×',
        target: 0.2,
        note: `${figure(spreadOf(samples).median)} ms of ${figure(plain.tookMs)} ms for a start`,
      },
    ];
  },
};

const startService = async (project: string, args: readonly string[]) => {
  const begin = performance.now();
  const { welcomed, stop } = startLocalRun({ project, directory: project, args });
  const { url } = await welcomed();
  return { tookMs: performance.now() - begin, url, stop };
};

const measureSave = async (project: string, url: string, edit: number): Promise<number> => {
  const file = join(project, 'functions/list-sandboxes.ts');
  const source = readFileSync(file, 'utf8');
  const begin = performance.now();
  writeFileSync(file, source.replace(/return \{ (edit: \d+, )?/, `return { edit: ${edit}, `));
  while ((await answeredEdit(url)) !== edit) await sleep(pollMs);
  return performance.now() - begin;
};

const answeredEdit = async (url: string): Promise<unknown> => {
  const { body } = await sendRequest(`${url}/v1/sandboxes`, 'GET', { token: demo.tokens.live });
  return body.edit;
};
