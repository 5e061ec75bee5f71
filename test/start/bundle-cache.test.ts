import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildDirectory } from '../../lib/build-directory.ts';
import { bundleFunction, bundleFunctions } from '../../lib/bundles.ts';

const contentOf = (directory: string) =>
  new Map(
    readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), 'utf8')]),
  );

test('a bundle that is used again is the one that would be made', async () => {
  const name = 'authorize';
  const kept = (await bundleFunctions())(name);
  expect((await bundleFunctions())(name)).toBe(kept);

  const made = join(buildDirectory(), name);
  await bundleFunction(name, made);
  expect(contentOf(kept)).toEqual(contentOf(made));
});
