import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const module = join(import.meta.dirname, '../build-directory.ts');

/** Makes a directory in a process whose id means another process, or none, outside a container. */
const program = (end = '') => [
  '--input-type=module',
  '-e',
  `Object.defineProperty(process, 'pid', { value: 2 ** 30 });
   const { buildDirectory } = await import(${JSON.stringify(module)});
   console.log(buildDirectory());
   ${end}`,
];

const makeAndExit = () => execFileSync(process.execPath, program(), { encoding: 'utf8' }).trim();

test('the directory of a run stays until that run ends, wherever it runs', async () => {
  const live = spawn(process.execPath, program('setInterval(() => {}, 1000);'), {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void live.kill('SIGKILL'));
  const [line] = await once(live.stdout.setEncoding('utf8'), 'data');
  const directory = String(line).trim();

  expect(existsSync(makeAndExit())).toBe(false);
  expect(existsSync(directory)).toBe(true);

  live.kill('SIGKILL');
  await once(live, 'close');
  makeAndExit();
  expect(existsSync(directory)).toBe(false);
});
