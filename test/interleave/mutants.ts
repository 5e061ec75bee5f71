import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import { bugs } from '../chaos/bugs.ts';

interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Changes that one could make: each removes, weakens or moves one thing that a guarantee stands on. */
export const mutants: Readonly<Record<string, readonly Change[]>> = {
  ...bugs,
};

export const mutantNames = Object.keys(mutants);

/** An esbuild plugin that bundles the functions with a mutant in them. */
export const withMutant = (name: string): Plugin => ({
  name,
  setup: ({ onLoad }) => {
    for (const [file, changes] of Map.groupBy(mutants[name] ?? [], ({ file }) => file)) {
      onLoad({ filter: new RegExp(`/${file}$`) }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        for (const { from, to } of changes) {
          if (!contents.includes(from))
            throw new Error(`${file} has changed: adapt the mutant ${name}.`);
          contents = contents.replace(from, () => to);
        }
        return { contents, loader: 'ts' };
      });
    }
  },
});
