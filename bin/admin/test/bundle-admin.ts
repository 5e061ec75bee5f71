import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { buildDirectory } from '../../../lib/bundles/build-directory.ts';
import { bundling, withEsbuild } from '../../../lib/bundles/bundles.ts';

/** What the bundle of the command line exports. */
export type CommandLine = typeof import('../command-line.ts');

declare module 'vitest' {
  interface ProvidedContext {
    /** The operators' command line. */
    readonly adminScript: string;
  }
}

/**
 * Bundles the operators' command line with all that it imports, twice: as a script, which starts in
 * half the time, and as one file in CommonJS, which a test can run in its own process. Both are
 * removed when this process ends.
 */
export default async function setup(project: TestProject) {
  const outdir = buildDirectory();
  const script = join(outdir, 'admin.mjs');
  const { splitting: _, ...unsplit } = bundling;
  const options = { ...unsplit, minify: false, sourcemap: false, metafile: false };
  await withEsbuild(() =>
    Promise.all([
      build({
        ...options,
        splitting: true,
        entryPoints: ['bin/admin.ts'],
        outdir,
        // For what is not an ES module.
        banner: {
          js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
        },
      }),
      build({
        ...options,
        format: 'cjs',
        // All modules come from the test's `require`.
        supported: { 'dynamic-import': false },
        entryPoints: ['bin/admin/command-line.ts'],
        outfile: commandLineOf(script),
      }),
    ]),
  );
  project.provide('adminScript', script);
}

/** The file in CommonJS beside a script. */
export const commandLineOf = (script: string): string => join(dirname(script), 'command-line.cjs');
