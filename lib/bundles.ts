import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** The directory of a function's bundle, by the function's name. */
export type Bundles = (functionName: string) => string;

/**
 * A directory for as long as this process runs, so that two runs at once do not meet. It lies in
 * the project: source maps name sources relative to their bundle, and a bundle must not depend on
 * where the project lies.
 */
export const temporaryDirectory = (): string => {
  const parent = join(root, '.build');
  mkdirSync(parent, { recursive: true });
  for (const left of readdirSync(parent).filter((name) => !isRunning(Number(name.split('-')[0])))) {
    rmSync(join(parent, left), { recursive: true, force: true });
  }
  const directory = mkdtempSync(join(parent, `${process.pid}-`));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
};

/** Whether a process still needs its directory; one that was killed could not remove it. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Bundles every Lambda, each file directly under `functions`, as it is deployed: one ES module. */
export const bundleFunctions = async (plugins: Plugin[] = []): Promise<Bundles> => {
  const directory = temporaryDirectory();
  const names = readdirSync(join(root, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => basename(entry.name, '.ts'));
  await build({
    entryPoints: names.map((name) => ({
      in: join(root, 'functions', `${name}.ts`),
      out: join(name, 'index'),
    })),
    outdir: directory,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    plugins,
    // Some packages are still CommonJS and ask for Node's own modules with `require`.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  return (functionName) => join(directory, functionName);
};
