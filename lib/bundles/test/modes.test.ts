import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildDirectory } from '../build-directory.ts';
import { bundleFunction } from '../bundles.ts';

test('everyone may read a bundle, whatever the umask', async () => {
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  const directory = join(buildDirectory(), 'authorize');
  await bundleFunction('authorize', directory);
  const modes = readdirSync(directory).map((name) => [
    name,
    statSync(join(directory, name)).mode & 0o777,
  ]);
  expect(modes.length).toBeGreaterThan(0);
  expect(modes).toEqual(modes.map(([name]) => [name, 0o644]));
  expect(statSync(directory).mode & 0o777).toBe(0o755);
});
