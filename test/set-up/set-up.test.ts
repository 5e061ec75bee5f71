import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';

test('a set-up that fails is a failure of the run, which counts the tests that did not run', async () => {
  const { NO_COLOR: _, ...env } = childEnvironment();
  const config = ['--config', 'test/set-up/vitest.config.ts'];
  const run = spawn(process.execPath, ['test/run-tests.ts', 'run', ...config], { env });
  const [output, errors, code] = await Promise.all([
    text(run.stdout),
    text(run.stderr),
    new Promise((resolve) => run.once('close', resolve)),
  ]);

  expect(code).toBe(1);
  // Neither is a terminal.
  expect(stripVTControlCharacters(output + errors)).toBe(output + errors);
  expect(output).toContain('1 passed');
  expect(errors).toContain('The table is busy.');
  expect(errors).toContain('a set-up that fails');
  expect(errors).toContain('Set-up FAILED: 2 tests of test/set-up/fixture.ts did not run.');
});
