import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { buildDirectory } from '../../lib/build-directory.ts';

/**
 * Bundles the operators' command line with all that it imports: it starts in half the time.
 *
 * @returns the path of the script, which is removed when this process ends
 */
export const bundleAdmin = async (...plugins: Plugin[]): Promise<string> => {
  const outdir = buildDirectory();
  await build({
    entryPoints: ['bin/admin.ts'],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    // For what is not an ES module.
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    plugins,
  });
  return join(outdir, 'admin.mjs');
};
