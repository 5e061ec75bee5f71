import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { childEnvironment } from '../support/child-environment.ts';
import { copyProject } from '../support/copy-project.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesOf, isFollowed, laterPatchesOf, patchesOf, type Walk, walks } from './walks.ts';

/** Writes the files of a walk and applies its patches. */
const apply = (walk: Walk, directory: string): void => {
  for (const { path, content } of filesOf(walk)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
  applyPatches(walk.path, patchesOf(walk), directory);
};

const applyPatches = (page: string, patches: readonly string[], directory: string): void => {
  for (const patch of patches) {
    try {
      execFileSync('git', ['apply', '-'], { cwd: directory, input: patch, stdio: 'pipe' });
    } catch (error) {
      const { stderr } = error as { stderr: Buffer };
      throw new Error(`${page}: a patch does not apply.\n${stderr}${patch}`);
    }
  }
};

const commandsOf = ({ text }: Walk): string[] =>
  [...text.matchAll(/```bash\n(.*?)```/gs)].flatMap(([, lines = '']) => lines.trim().split('\n'));

/** Each command once, and then the tests of all walks: they share one start of the service. */
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
    throw new Error(`\`${command}\` failed.\n${stdout}${stderr}`);
  });
};

test.skipIf(walks.some(isFollowed))(
  'all walks can be followed in one copy',
  async () => {
    const directory = temporaryDirectory();
    copyProject(directory);
    // Biome and Git work in a repository, and this copy is to be one of its own.
    execFileSync('git', ['init', '--quiet'], { cwd: directory, env: childEnvironment() });
    for (const walk of walks) apply(walk, directory);
    for (const walk of walks) expect(commandsOf(walk)).not.toEqual([]);
    for (const command of together(walks.flatMap(commandsOf))) await run(command, directory);
    // A reader who has followed the walks can still run these.
    await run('npx vitest run test/documents test/contributing', directory);
    for (const walk of walks) applyPatches(walk.path, laterPatchesOf(walk), directory);
    await run('npm run types', directory);
  },
  900_000,
);
