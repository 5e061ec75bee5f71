import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { buildDirectory } from '../build-directory.ts';
import { cachedBundle } from '../bundle-cache.ts';

const root = join(import.meta.dirname, '../../..');
const long = Date.now() / 1000 - 7200;

test('a bundle that was handed out stays when its sources change, until it is unused for long', async () => {
  const directory = buildDirectory();
  const source = join(directory, 'source.ts');
  // Beside the cache, in what goes with this process.
  const name = relative(join(root, '.cache'), join(directory, 'kept'));
  let edits = 0;
  const edit = () => {
    writeFileSync(source, String(edits++));
    utimesSync(source, edits, edits);
  };
  const built = join(directory, 'built');
  const get = () =>
    cachedBundle(name, built, async () => {
      mkdirSync(built);
      return { inputs: { [relative(root, source)]: { bytes: 1, imports: [] } }, outputs: {} };
    });

  edit();
  const first = await get();
  utimesSync(first, long, long);
  expect(await get()).toBe(first);
  edit();
  const second = await get();
  expect(second).not.toBe(first);
  expect(existsSync(first)).toBe(true);

  utimesSync(first, long, long);
  edit();
  await get();
  expect([first, second].map((each) => existsSync(each))).toEqual([false, true]);
});
