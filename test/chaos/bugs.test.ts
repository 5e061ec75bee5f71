import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { chaosBugs } from '../interleave/mutants.ts';
import { childEnvironment } from '../support/child-environment.ts';

// As `npm run chaos -- --bug` runs it: in a process of its own, whose bundles have the bug.
test.each(chaosBugs)(
  'random histories find the bug %s',
  async (bug) => {
    const args = ['--bug', bug, '--seed', '1', '--histories', '100', '--no-shrink'];
    const child = spawn(process.execPath, ['test/chaos/chaos.ts', ...args], {
      env: childEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    expect(errors).toMatch(/^History \d+ leads to a violation\.\n$/m);
    expect(output).toContain('\na violation\n');
    expect(output).toContain(`Again: npm run chaos -- --histories 100 --seed 1 --bug ${bug}\n`);
    expect(code).toBe(1);
  },
  1_800_000,
);
