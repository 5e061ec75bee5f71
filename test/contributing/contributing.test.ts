import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { copyProject } from '../support/copy-project.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesOf, followedSection, patchesOf, section, titles } from './walks.ts';

/** Writes the files of a section and applies its patches. */
const apply = (title: string, directory: string): void => {
  for (const { path, content } of filesOf(title)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  for (const patch of patchesOf(title)) {
    try {
      execFileSync('git', ['apply', '-'], { cwd: directory, input: patch, stdio: 'pipe' });
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

test('what the page says can be followed, all of it in one copy', async ({ skip }) => {
  const followed = followedSection();
  skip(followed !== undefined, `This tree has "${followed}" already.`);
  const directory = temporaryDirectory();
  copyProject(directory);
  // Biome and Git work in a repository, and this copy is to be one of its own.
  execFileSync('git', ['init', '--quiet'], { cwd: directory });
  for (const title of titles) apply(title, directory);
  for (const title of titles) expect(commandsOf(title)).not.toEqual([]);
  for (const command of together(titles.flatMap(commandsOf))) await run(command, directory);
  // A reader who has followed the page can still run these.
  await run('npx vitest run test/documents test/contributing', directory);
}, 900_000);
