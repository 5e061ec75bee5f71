import { join } from 'node:path';
import { build } from 'esbuild';
import { keys } from '../../functions/store/keys.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { newTenant } from '../../test/support/tenants.ts';
import type { Scenario } from './scenarios.ts';

/** A function as it is deployed, or other code in its place. */
export interface Subject extends Pick<Scenario, 'name' | 'functionName' | 'newEvent'> {
  readonly codeDirectory?: string | undefined;
}

/** Bundles what the scenarios are compared with: floors, which read one item, and peers. */
export const readBases = async (all: readonly Scenario[]): Promise<(of: Scenario) => Subject> => {
  const directories = new Map<string, string>();
  for (const { base } of all) {
    if (!directories.has(base)) directories.set(base, await bundleFile(`${base}.ts`));
  }
  const floorEvent = { key: keys.workspace((await newTenant()).workspace) };
  return ({ base, functionName, newEvent }) => ({
    name: base,
    functionName,
    newEvent: base.startsWith('peer') ? newEvent : async () => floorEvent,
    codeDirectory: directories.get(base),
  });
};

/**
 * Bundles a file of the bench as one minified ES module, with esbuild's defaults besides.
 *
 * @returns the directory of the bundle, which is called as those of functions are
 */
export const bundleFile = async (file: string): Promise<string> => {
  const directory = buildDirectory();
  await build({
    entryPoints: [join(import.meta.dirname, file)],
    outfile: join(directory, 'index.mjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Otherwise esbuild takes the CommonJS build of each package: half as large again, and slower.
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  return directory;
};
