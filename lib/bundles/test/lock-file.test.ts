import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { lockFile } from '../lock-file.ts';

test('of processes that lock a file at once, one gets it until it is killed', async () => {
  const file = join(temporaryDirectory(), 'lock');
  const module = join(import.meta.dirname, '../lock-file.ts');
  const program = `
    import { lockFile } from ${JSON.stringify(module)};
    console.log(lockFile(${JSON.stringify(file)}));
    setInterval(() => {}, 1000);`;
  const children = Array.from({ length: 4 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
  });
  const said = await Promise.all(
    children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
  );
  expect(said.toSorted()).toEqual(['false', 'false', 'false', 'true']);
  expect(lockFile(file)).toBe(false);

  const [holder] = children.filter((_, index) => said[index] === 'true') as [ChildProcess];
  holder.kill('SIGKILL');
  await once(holder, 'close');
  expect(lockFile(file)).toBe(true);
});
