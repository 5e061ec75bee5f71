import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type BuildResult, context, type Plugin } from 'esbuild';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundling } from '../../lib/bundles/bundles.ts';
import { trimPlugins } from '../../lib/bundles/trims.ts';
import type { Engine, Log } from '../../lib/local/local-engine.ts';

/**
 * Runs what is saved of the functions from the next request on, and reports a save that may change
 * the template or adds a function, which needs a restart.
 *
 * @returns what ends the watch: esbuild's process would outlive this one otherwise
 */
export const watchFunctions = async (
  replaceCode: Engine['replaceCode'],
  log: Log,
): Promise<() => Promise<void>> => {
  const directories = new Map<string, string>();
  const takeOver = ({ errors, outputFiles = [], metafile }: BuildResult): void => {
    if (errors.length > 0) log('Saved: the earlier code keeps running.', 'failed');
    for (const { path, contents } of outputFiles) {
      mkdirSync(dirname(path), { recursive: true });
      // Named for its content. An instance with earlier code may still load the other files.
      if (!existsSync(path)) writeFileSync(path, contents);
    }
    const isFirst = directories.size === 0;
    const replaced: string[] = [];
    let needsRestart = false;
    for (const [path, { entryPoint = '' }] of Object.entries(metafile?.outputs ?? {})) {
      const directory = dirname(join(bundling.absWorkingDir, path));
      const before = directories.get(entryPoint);
      if (before === directory || !/^(functions.[\w-]+|lib.app)\.ts$/.test(entryPoint)) continue;
      directories.set(entryPoint, directory);
      const name = basename(entryPoint, '.ts');
      needsRestart ||= name === 'app' || before === undefined;
      if (name !== 'app') void replaceCode(name, directory);
      if (name !== 'app') replaced.push(name);
    }
    if (isFirst) return;
    if (replaced.length > 0) log(`Saved, runs from now on: ${replaced.join(', ')}`, 'done');
    if (needsRestart) log('Saved, needs a restart of npm start: the template', 'retried');
  };
  const setup: Plugin['setup'] = ({ onResolve, onEnd }) => {
    // Packages of the template, which is only watched.
    const filter = /^(aws-cdk-lib|constructs|esbuild|node:sqlite)\b/;
    onResolve({ filter }, ({ path }) => ({ path, external: true }));
    onEnd(takeOver);
  };
  const watched = await context({
    ...bundling,
    entryPoints: ['functions/*.ts', 'lib/app.ts'],
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
