import { chmodSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild';
import { cachedBundles } from './bundle-cache.ts';
import { trimPlugins } from './trims.ts';

const root = join(import.meta.dirname, '../..');

/** The directory of a function's bundle, by the function's name. */
export type Bundles = (functionName: string) => string;

/** The Lambdas: each file directly under `functions`, except the contracts beside them. */
export const functionNames = readdirSync(join(root, 'functions'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.contract.ts'))
  .map((file) => basename(file, '.ts'));

/** How every bundle is made: ES modules whose parts are loaded when the code comes to need them. */
export const bundling = {
  absWorkingDir: root,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Otherwise esbuild takes the CommonJS build of each package, of which it can leave out nothing.
  mainFields: ['module', 'main'],
  minify: true,
  sourcemap: true,
  metafile: true,
} as const satisfies BuildOptions;

/**
 * Bundles a Lambda as it is deployed: ES modules, `index.mjs` and those that it imports when it
 * comes to need them.
 *
 * @returns what esbuild says is in them
 */
export const bundleFunction = async (
  name: string,
  directory: string,
  plugins: Plugin[] = trimPlugins(),
): Promise<Metafile> => {
  const { metafile } = await build({
    ...bundling,
    entryPoints: { index: `functions/${name}.ts` },
    outdir: directory,
    plugins,
    logLevel: 'warning',
  });
  setModes(directory);
  return metafile;
};

/**
 * Lets everyone read a bundle, whatever the umask: the zip and the hash of the code keep the modes,
 * and Lambda runs it as another user (AWS Lambda Developer Guide, "Working with .zip file
 * archives").
 */
const setModes = (directory: string): void => {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
};

/** Bundles every Lambda on its own, so that a change to one does not touch another's code. */
export const bundleFunctions = async (): Promise<Bundles> => {
  const directory = await cachedBundles(async (built) => {
    await Promise.all(functionNames.map((name) => bundleFunction(name, join(built, name))));
    // esbuild's process would keep hundreds of megabytes.
    await stop();
  });
  return (functionName) => join(directory, functionName);
};
