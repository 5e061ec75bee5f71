import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { startFaultyService } from '../support/faulty-service.ts';
import { bugNames } from './bugs.ts';
import { checkHistories } from './check-histories.ts';
import { Figures } from './figures.ts';

// Each instance that is killed would leave megabytes of coverage behind.
delete process.env.NODE_V8_COVERAGE;

test('random histories leave what everybody was told', async () => {
  const service = await startFaultyService(inject('stack').assemblyDirectory);
  onTestFinished(() => service.stop());
  const figures = new Figures();
  const violation = await checkHistories(
    service,
    { seed: 1, histories: 15, shrink: true },
    figures,
  );
  console.log(`${figures}`);
  expect(violation).toBeUndefined();
}, 1_800_000);

// Each in a process of its own: a store's client keeps the address of the first service that it was used with.
test.each(bugNames)(
  'they find the bug %s',
  async (bug) => {
    const args = ['--bug', bug, '--seed', '1', '--histories', '100', '--no-shrink'];
    const child = spawn(process.execPath, ['test/chaos/chaos.ts', ...args], {
      env: childEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect(output).toContain('\na violation\n');
    expect(code).toBe(1);
  },
  1_800_000,
);
