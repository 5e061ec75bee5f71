import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/** What to put in whose place, in a file of the project. */
export interface SourceChange {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** A change of one file, of `functions` unless its path says `bin` or `node_modules`. */
export const change = (file: string, from: string, to: string): readonly SourceChange[] => [
  { file: /^(bin|node_modules)\//.test(file) ? file : `functions/${file}`, from, to },
];

const root = join(import.meta.dirname, '../../..');

/**
 * An esbuild plugin that bundles the functions with changes of their sources.
 *
 * @throws Error when the code has changed, also if it is not in this bundle
 */
export const withChanges = (name: string, changes: readonly SourceChange[]): Plugin => ({
  name,
  setup: async ({ onLoad }) => {
    for (const [file, all] of Map.groupBy(changes, (each) => each.file)) {
      let contents = await readFile(join(root, file), 'utf8');
      for (const { from, to } of all) {
        if (!contents.includes(from)) throw new Error(`${file} has changed: adapt ${name}.`);
        contents = contents.replace(from, () => to);
      }
      onLoad({ filter: new RegExp(`/${file}$`) }, () => ({ contents, loader: 'ts' }));
    }
  },
});
