import { chmodSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, stop } from 'esbuild';
import { buildDirectory } from './build-directory.ts';
import { cachedBundle } from './bundle-cache.ts';
import { trimPlugins } from './trims.ts';

const root = join(import.meta.dirname, '../..');

/** The directory of a function's bundle, by the function's name. */
export type Bundles = (functionName: string) => string;

/** The Lambdas: each file directly under `functions`, except the contracts beside them. */
const readFunctionNames = (): string[] =>
  readdirSync(join(root, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => basename(entry.name, '.ts'))
    .filter((name) => !name.endsWith('.contract'));

/** The Lambdas when this process started. */
export const functionNames = readFunctionNames();

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

let building = 0;
/** Ends esbuild's service with the last of its builds: it keeps hundreds of megabytes otherwise. */
export const withEsbuild = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  building += 1;
  try {
    return await work();
  } finally {
    building -= 1;
    if (building === 0) await stop();
  }
};

/**
 * Bundles every Lambda on its own, so that a change to one does not touch another's code. A bundle
 * whose inputs have not changed since it was made is used again.
 *
 * @param plugins change the bundles; those are made anew and not kept
 */
export const bundleFunctions = async (plugins: Plugin[] = []): Promise<Bundles> => {
  const directory = buildDirectory();
  const bundled = await Promise.all(
    functionNames.map(async (name) => {
      const bundle = (built: string) =>
        withEsbuild(() => bundleFunction(name, built, [...plugins, ...trimPlugins()]));
      const built = join(directory, name);
      if (plugins.length === 0) return [name, await cachedBundle(name, built, bundle)] as const;
      await bundle(built);
      return [name, built] as const;
    }),
  );
  return bundlesIn(Object.fromEntries(bundled));
};

/** The bundles in these directories, by the names of their functions. */
const bundlesIn =
  (directories: Readonly<Record<string, string>>): Bundles =>
  (functionName) => {
    const directory = directories[functionName];
    if (!directory) throw new Error(`There is no functions/${functionName}.ts.`);
    return directory;
  };
