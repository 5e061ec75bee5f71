import { join } from 'node:path';
import { build } from 'esbuild';
import { buildDirectory } from '../../lib/build-directory.ts';
import { type SourceChange, withChanges } from '../support/changed-sources.ts';

/** The operators' command line. */
export const adminScript = 'bin/admin.ts';

/** The same with changes of its sources, in a file that is removed when this process ends. */
export const changedAdminScript = async (
  about: string,
  changes: readonly SourceChange[],
): Promise<string> => {
  const outfile = join(buildDirectory(), 'admin.mjs');
  await build({
    entryPoints: [adminScript],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    plugins: [withChanges(about, changes)],
  });
  return outfile;
};
