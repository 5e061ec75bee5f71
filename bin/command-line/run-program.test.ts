import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { childEnvironment } from '../../test/support/child-environment.ts';
import { root } from '../../test/support/start-local-run.ts';

const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The programs of this project that npm starts, by their scripts. */
const npmScripts = Object.entries<string>(scripts).flatMap(([script, command]) => {
  const [path] = /\S+\.ts$/.exec(command) ?? [];
  return path ? [{ script, command: [process.execPath, path] }] : [];
});

const ciScripts = globSync('.ci/*', { cwd: root })
  .filter((path) => readFileSync(join(root, path), 'utf8').startsWith('#!'))
  .map((path) => ({ script: path, command: ['bash', path] }));

const run = async ([file = '', ...args]: readonly string[]) => {
  const child = spawn(file, args, { cwd: root, env: childEnvironment() });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
};

const wfp = { script: 'bin/wfp', command: ['bin/wfp'] };

describe.each([wfp, ...npmScripts, ...ciScripts])('$script', ({ script, command }) => {
  test('--help says what it does, and does nothing', async () => {
    const { code, stdout, stderr } = await run([...command, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      script.startsWith('.ci/') ? /^[A-Z][\s\S]+\.\n/ : /^Usage: (npm|bin\/wfp) /,
    );
  });

  test('refuses what it does not know', async () => {
    // What fuzz does not know is for schemathesis, which refuses it.
    if (script === '.ci/fuzz') return;
    const { code, stdout, stderr } = await run([...command, '--nonsense']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: unknown \w+ '--nonsense'/);
  });
});

const pages = globSync('**/*.md', { cwd: root, exclude: ['**/node_modules/**'] });

test.each(pages)(
  'no command of %s has a comment: an interactive zsh would pass its words on',
  (page) => {
    const comment = /^```bash\n(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|(?!^```$)[^#'"\\])*#/m;
    expect(readFileSync(join(root, page), 'utf8')).not.toMatch(comment);
  },
);
