import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildResult, context, type Metafile, type Plugin } from 'esbuild';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundling } from '../../lib/bundles/bundles.ts';
import { trimPlugins } from '../../lib/bundles/trims.ts';
import type { Engine, Log } from '../../lib/local/local-engine.ts';

const { absWorkingDir: root } = bundling;

/**
 * Runs what is saved of the functions from the next request on, and reports a save that needs a
 * restart: of a file that the template is made of, or of a new function.
 *
 * @returns what ends the watch: esbuild's process would outlive this one otherwise
 */
export const watchFunctions = async (replaceCode: Engine['replaceCode'], log: Log) => {
  const directories = new Map<string, string>();
  let template: string | undefined;
  const takeOver = ({ errors, outputFiles = [], metafile }: BuildResult): void => {
    if (errors.length > 0) log('Saved: the earlier code runs on.', 'failed');
    if (!metafile) return;
    for (const { path, contents } of outputFiles) {
      mkdirSync(dirname(path), { recursive: true });
      // Named for its content. An instance with earlier code may still load the other files.
      if (!existsSync(path)) writeFileSync(path, contents);
    }
    const replaced: string[] = [];
    for (const [path, { entryPoint = '' }] of Object.entries(metafile.outputs)) {
      const [, name] = /^functions.([\w-]+)\.ts$/.exec(entryPoint) ?? [];
      const directory = dirname(join(root, path));
      if (!name || directories.get(name) === directory) continue;
      directories.set(name, directory);
      replaced.push(name);
      void replaceCode(name, directory);
    }
    const before = template;
    template = [...directories.keys(), ...templateSources(metafile)].join();
    if (before === undefined) return;
    if (replaced.length > 0) log(`Saved, runs from now on: ${replaced.join(', ')}`, 'done');
    if (before !== template) log('Saved, needs a restart of npm start: the template', 'retried');
  };
  const setup: Plugin['setup'] = ({ onResolve, onEnd }) => {
    const filter = /^(aws-cdk-lib|constructs|esbuild|node:sqlite)\b/;
    onResolve({ filter }, ({ path }) => ({ path, external: true }));
    onEnd(takeOver);
  };
  const watched = await context({
    ...bundling,
    entryPoints: ['functions/*.ts', 'lib/stack/app.ts'],
    entryNames: '[name]-[hash]/index',
    outdir: buildDirectory(),
    plugins: [{ name: 'take-over', setup }, ...trimPlugins()],
    write: false,
    logLevel: 'error',
  });
  await watched.rebuild();
  await watched.watch();
  return () => watched.dispose();
};

const templateSources = ({ inputs }: Metafile): string[] => {
  // The stack finds the contracts by their names, so no import leads to them.
  const contracts = Object.keys(inputs).filter((path) => path.endsWith('.contract.ts'));
  const files = new Set(['lib/stack/app.ts', ...contracts]);
  for (const file of files) for (const { path } of inputs[file]?.imports ?? []) files.add(path);
  const own = [...files].map((file) => join(root, file)).filter((file) => existsSync(file));
  return own.map((file) => readFileSync(file, 'utf8'));
};
