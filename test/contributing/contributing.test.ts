import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { copyProject } from '../support/copy-project.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

/** A section of the page, up to the next. */
const section = (title: string): string => {
  const [, text] = page.split(`\n## ${title}\n`);
  if (text === undefined) throw new Error(`CONTRIBUTING.md has no section "${title}".`);
  return text.split('\n## ')[0] ?? '';
};

/** Writes the files of a section and applies its patches. */
const apply = (text: string, directory: string): void => {
  for (const [, path = '', content = ''] of text.matchAll(/`([^`\n]+)`:\n\n```ts\n(.*?)```/gs)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  for (const [, patch = ''] of text.matchAll(/```diff\n(.*?)```/gs)) {
    execFileSync('git', ['apply', '-'], { cwd: directory, input: patch });
  }
};

const commands = (text: string): string[] =>
  [...text.matchAll(/```bash\n(.*?)```/gs)].flatMap(([, lines = '']) => lines.trim().split('\n'));

test.each(['Add an endpoint'])(
  '"%s" can be followed',
  async (title) => {
    const directory = temporaryDirectory();
    copyProject(directory);
    // Biome and Git work in a repository, and this copy is to be one of its own.
    execFileSync('git', ['init', '--quiet'], { cwd: directory });
    const text = section(title);
    apply(text, directory);
    expect(commands(text)).not.toEqual([]);
    for (const command of commands(text)) {
      const [program = '', ...args] = command.split(' ');
      await promisify(execFile)(program, args, { cwd: directory, env: childEnvironment() });
    }
  },
  600_000,
);
