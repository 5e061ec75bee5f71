import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** An editor writes a file in several steps; this long after the last one it is saved. */
const quietMs = 25;

/** Files that are watched. */
export interface WatchedFiles {
  /** How often one was written to. */
  readonly touches: () => number;
  /** Resolves when what was written is reported. */
  readonly waitUntilReported: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Calls back with the files under some directories that have other contents than before, relative
 * to `root`. Each directory is watched by itself: on Linux, Node's recursive watching loses a file
 * that an editor saves by renaming another one to it.
 */
export const watchFiles = (
  root: string,
  directories: readonly string[],
  onSaved: (files: string[]) => void,
): WatchedFiles => {
  const watchers = new Map<string, FSWatcher>();
  const contents = new Map<string, string | undefined>();
  const touched = new Set<string>();
  let touches = 0;
  let reporting: NodeJS.Timeout | undefined;

  const add = (directory: string) => {
    watchers.get(directory)?.close();
    const watcher = watch(directory, (_, name) => {
      if (name !== null) touch(join(directory, name));
    });
    // A directory that is removed is reported by the one that holds it.
    watchers.set(
      directory,
      watcher.on('error', () => {}),
    );
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) add(path);
      else if (entry.name.endsWith('.ts')) touch(path);
    }
  };
  const touch = (path: string) => {
    touches += 1;
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) add(path);
    else if (path.endsWith('.ts')) touched.add(path);
    clearTimeout(reporting);
    reporting = setTimeout(() => {
      const saved = readTouched();
      if (saved.length > 0) onSaved(saved);
    }, quietMs);
  };
  const readTouched = (): string[] => {
    const changed = [...touched].filter((path) => {
      const content = read(path);
      const isSame = contents.has(path) && contents.get(path) === content;
      contents.set(path, content);
      return !isSame;
    });
    touched.clear();
    return changed.map((path) => relative(root, path).replaceAll(sep, '/'));
  };

  for (const directory of directories) add(join(root, directory));
  clearTimeout(reporting);
  readTouched();
  return {
    touches: () => touches,
    waitUntilReported: async () => {
      while (touched.size > 0) await sleep(quietMs);
    },
    close: () => {
      clearTimeout(reporting);
      for (const watcher of watchers.values()) watcher.close();
    },
  };
};

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};
