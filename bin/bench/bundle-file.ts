import { join } from 'node:path';
import { build } from 'esbuild';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';

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
