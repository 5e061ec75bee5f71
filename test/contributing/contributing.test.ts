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
const titles = ['Add an endpoint', 'Add a field', 'Add a message'];

/** A section of the page, up to the next. */
const section = (title: string): string => {
  const [, text] = page.split(`\n## ${title}\n`);
  if (text === undefined) throw new Error(`CONTRIBUTING.md has no section "${title}".`);
  return text.split('\n## ')[0] ?? '';
};

/** Writes the files of a section and applies its patches. */
const apply = (title: string, directory: string): void => {
  const text = section(title);
  for (const [, path = '', content = ''] of text.matchAll(/`([^`\n]+)`:\n\n```ts\n(.*?)```/gs)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  for (const [, patch = ''] of text.matchAll(/```diff\n(.*?)```/gs)) {
    try {
      // The changelog's line has no context below: every change adds one there.
      execFileSync('git', ['apply', '--unidiff-zero', '-'], {
        cwd: directory,
        input: patch,
        stdio: 'pipe',
      });
    } catch (error) {
      const { stderr } = error as { stderr: Buffer };
      throw new Error(`CONTRIBUTING.md, "${title}": a patch does not apply.\n${stderr}${patch}`);
    }
  }
};

const commandsOf = (title: string): string[] =>
  [...section(title).matchAll(/```bash\n(.*?)```/gs)].flatMap(([, lines = '']) =>
    lines.trim().split('\n'),
  );

/** Each command once, and then the tests of all sections: they share one start of the service. */
const together = (commands: readonly string[]): string[] => {
  const testing = 'npm test -- ';
  const files = commands
    .filter((command) => command.startsWith(testing))
    .flatMap((command) => command.slice(testing.length).split(' '));
  const others = commands.filter((command) => !command.startsWith(testing));
  return [...new Set(others), testing + [...new Set(files)].join(' ')];
};

const run = async (command: string, cwd: string): Promise<void> => {
  const [program = '', ...args] = command.split(' ');
  const options = { cwd, env: childEnvironment(), maxBuffer: Number.POSITIVE_INFINITY };
  await promisify(execFile)(program, args, options).catch(({ stdout, stderr }) => {
    throw new Error(`CONTRIBUTING.md: \`${command}\` failed.\n${stdout}${stderr}`);
  });
};

test('what the page says can be followed, all of it in one copy', async () => {
  const directory = temporaryDirectory();
  copyProject(directory);
  // Biome and Git work in a repository, and this copy is to be one of its own.
  execFileSync('git', ['init', '--quiet'], { cwd: directory });
  for (const title of titles) apply(title, directory);
  for (const title of titles) expect(commandsOf(title)).not.toEqual([]);
  for (const command of together(titles.flatMap(commandsOf))) await run(command, directory);
}, 900_000);
