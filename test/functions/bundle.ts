import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { bundleFunction } from '../../lib/bundles/bundles.ts';

/** A function's files, and esbuild's metadata of them. */
export interface Bundle {
  readonly directory: string;
  readonly outputs: Metafile['outputs'];
  /** The files that are loaded when it starts, and the one that a request with a key adds. */
  readonly start: readonly string[];
  readonly keyed: readonly string[];
}

/** Sizes in KB that no function's bundle may exceed. */
export const bundleLimits = { start: 280, compressed: 90, keyed: 25 } as const;

export const newBundle = async (name: string, directory: string): Promise<Bundle> => {
  const { outputs } = await bundleFunction(name, directory);
  const entry = Object.keys(outputs).find((path) => path.endsWith('/index.mjs')) ?? '';
  const imported = (path: string, kind: string) =>
    (outputs[path]?.imports ?? [])
      .filter((each) => each.kind === kind && !each.external)
      .map((each) => each.path);
  return {
    directory,
    outputs,
    start: [entry, ...imported(entry, 'import-statement')],
    keyed: imported(entry, 'dynamic-import'),
  };
};

/** The size of some files of a bundle. */
export const kilobytesOf = (
  { directory }: Bundle,
  paths: readonly string[],
  compress = (bytes: Buffer): Buffer => bytes,
): number =>
  paths
    .map((path) => compress(readFileSync(join(directory, basename(path)))).length / 1024)
    .reduce((sum, size) => sum + size, 0);
