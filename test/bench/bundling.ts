import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundleFunction } from '../../lib/bundles/bundles.ts';
import { trimPlugins, trims } from '../../lib/bundles/trims.ts';

/**
 * Bundles a file of the bench as one minified ES module, with esbuild's defaults besides.
 *
 * @returns the path of the bundle
 */
export const bundleFile = async (file: string): Promise<string> => {
  const outfile = join(buildDirectory(), `${basename(file, '.ts')}.mjs`);
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Otherwise esbuild takes the CommonJS build of each package: half as large again, and slower.
    mainFields: ['module', 'main'],
    logLevel: 'warning',
  });
  return outfile;
};

/** What the source does without, besides the trims of the bundler: brought back by plugins. */
const broughtBack: Readonly<Record<string, Plugin>> = {
  'zod in place of zod/mini': {
    name: 'whole-zod',
    setup: ({ onResolve, resolve }) => {
      onResolve({ filter: /^zod\/mini$/ }, ({ resolveDir, kind }) =>
        resolve('zod', { resolveDir, kind }),
      );
    },
  },
  'the SDK from node_modules': {
    name: 'sdk-outside',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^@aws-sdk\// }, () => ({ external: true }));
    },
  },
};

/** The directories of a function's bundles, each without one of the trims, by what it lacks. */
export const untrimmed = async (functionName: string): Promise<Map<string, string>> => {
  const without = Object.keys(trims).map((left): [string, Plugin[]] => [
    `without the trim of ${left}`,
    trimPlugins().filter(({ name }) => name !== left),
  ]);
  const withMore = Object.entries(broughtBack).map(([name, plugin]): [string, Plugin[]] => [
    `with ${name}`,
    [plugin, ...trimPlugins()],
  ]);
  const bundles = [...without, ...withMore].map(async ([name, plugins]) => {
    const directory = buildDirectory();
    await bundleFunction(functionName, directory, plugins);
    return [name, directory] as const;
  });
  return new Map(await Promise.all(bundles));
};
