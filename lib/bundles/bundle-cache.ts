import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { buildDirectory } from './build-directory.ts';

const root = join(import.meta.dirname, '../..');

/** What bundles are made from; the lock file stands for node_modules. */
const sources = ['functions/**/*.ts', 'lib/bundles/*.ts', 'tsconfig.json', 'package-lock.json'];

/**
 * The directory of the bundles of these sources: the one that was kept, otherwise a new one, which
 * is kept for the next time. It lies as deep in the project as the one that it is made in: source
 * maps name sources relative to their bundle.
 *
 * @param bundle makes the bundles in a directory
 */
export const cachedBundles = async (
  bundle: (directory: string) => Promise<void>,
): Promise<string> => {
  const cache = join(root, '.cache');
  const kept = join(cache, `bundles-${hashOfSources()}`);
  if (!existsSync(kept)) {
    const built = buildDirectory();
    await bundle(built);
    mkdirSync(cache, { recursive: true });
    try {
      renameSync(built, kept);
    } catch (error) {
      // A process that made the same bundles was first.
      if (!existsSync(kept)) throw error;
    }
  }
  // Fails if another user made it.
  await utimes(kept, new Date(), new Date()).catch(() => {});
  removeUnused(cache);
  return kept;
};

/** Also of Node, whose modules' exports bundles list. */
const hashOfSources = (): string => {
  const hash = createHash('sha256').update(process.version);
  for (const file of globSync(sources, { cwd: root }).sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
};

/** A run copies the bundles that it has just got, so none needs those of an hour ago. */
const removeUnused = (cache: string): void => {
  for (const directory of globSync('bundles-*', { cwd: cache }).map((name) => join(cache, name))) {
    const usedMs = statSync(directory, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedMs > 3_600_000) rmSync(directory, { recursive: true, force: true });
  }
};
