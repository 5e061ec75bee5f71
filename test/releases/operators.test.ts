import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildDirectory } from '../../lib/build-directory.ts';
import { stackFile, startCommand } from '../admin/admin.ts';
import { type SourceChange, withChanges } from '../support/changed-sources.ts';
import { readData } from './data.ts';
import type { Frozen } from './frozen.ts';
import {
  type AdminOn,
  type OperatorCheck,
  operatorBreaks,
  operatorChecks,
} from './operator-checks.ts';
import { releases } from './release.ts';

/** The operators' command line as it is in a file. */
const adminOf =
  (script: string): AdminOn =>
  (table, ...args) => {
    const { child, run } = startCommand(script, args, stackFile({ table }));
    child.stdin.end();
    return run;
  };

/** Bundles the command line with changes of its sources. */
const changedScript = async (about: string, changes: readonly SourceChange[]): Promise<string> => {
  const outfile = join(buildDirectory(), 'admin.mjs');
  await build({
    entryPoints: ['bin/admin.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [withChanges(about, changes)],
  });
  return outfile;
};

describe.each(releases())('the operators’ commands on the table of %s', (version) => {
  let frozen: Frozen;
  beforeAll(() => {
    frozen = readData(version);
  });

  test.concurrent.each(Object.entries<OperatorCheck>(operatorChecks))('%s', async (_, check) => {
    await check(adminOf('bin/admin.ts'), frozen);
  });

  test.concurrent.each(operatorBreaks)(
    '$check fails when $about',
    async ({ about, check, changes }) => {
      const changed = adminOf(await changedScript(about, changes));
      await expect(operatorChecks[check](changed, frozen)).rejects.toMatchObject({
        name: 'AssertionError',
      });
    },
  );

  test('a bundle without changes passes', async () => {
    await operatorChecks.export(adminOf(await changedScript('nothing', [])), frozen);
  });
});
