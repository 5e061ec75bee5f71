import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Metafile, version } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/**
 * As deep in the project as the directories that bundles are built in: source maps name sources
 * relative to their bundle, and a bundle must not depend on whether it was kept.
 */
const cache = join(root, '.cache');

/** What a bundle was made from: files with their hashes, and everything else in one hash. */
interface Manifest {
  readonly toolchain: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/**
 * The directory of a function's bundle: the one that was kept if every file that went into it is
 * unchanged, otherwise a new one, which is kept for the next time.
 *
 * @param built where `bundle` makes a new one
 */
export const cachedBundle = async (
  name: string,
  built: string,
  bundle: (built: string) => Promise<Metafile>,
): Promise<string> => {
  const file = join(cache, `${name}.json`);
  const kept = readManifest(file);
  if (kept && existsSync(place(name, kept)) && isCurrent(kept)) return markUsed(place(name, kept));

  const { inputs } = await bundle(built);
  const manifest: Manifest = {
    toolchain: toolchain(),
    inputs: Object.fromEntries(
      Object.keys(inputs)
        // Plugins make the others, and their source is part of the toolchain.
        .filter((path) => existsSync(join(root, path)))
        .map((path) => [path, hashOf(path)]),
    ),
  };
  keep(built, place(name, manifest));
  // Renamed into place, because another process may be reading it.
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, JSON.stringify(manifest));
  renameSync(draft, file);
  return place(name, manifest);
};

/** A run that has just got a bundle copies it; it is removed when nothing has got it for long. */
const markUsed = (directory: string): string => {
  try {
    utimesSync(directory, new Date(), new Date());
  } catch {
    // Another user's, who made it.
  }
  return directory;
};

const place = (name: string, manifest: Manifest): string =>
  join(cache, name, sha256(JSON.stringify(manifest)));

const readManifest = (file: string): Manifest | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

const isCurrent = ({ toolchain: made, inputs }: Manifest): boolean =>
  made === toolchain() && Object.entries(inputs).every(([path, hash]) => hashOf(path) === hash);

/** The process that made the same bundle first wins; the other one's is equal. */
const keep = (built: string, kept: string): void => {
  const parent = join(kept, '..');
  mkdirSync(parent, { recursive: true });
  for (const old of readdirSync(parent).map((entry) => join(parent, entry))) {
    const usedMs = statSync(old, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (Date.now() - usedMs > hourMs) rmSync(old, { recursive: true, force: true });
  }
  try {
    renameSync(built, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
  }
};
const hourMs = 3_600_000;

/**
 * What decides how files are bundled, besides the files: our options and plugins, esbuild, Node
 * (whose modules' exports are listed), and what is installed.
 */
const toolchain = (): string =>
  sha256(
    [
      version,
      process.version,
      ...['bundles.ts', 'trims.ts'].map((name) => hashOf(`lib/bundles/${name}`)),
      ...['tsconfig.json', 'package-lock.json'].map(hashOf),
    ].join(),
  );

/** Every function's bundle is made of much the same files. */
const hashes = new Map<string, { readonly changedMs: number; readonly hash: string }>();
const hashOf = (path: string): string => {
  const file = join(root, path);
  const changedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const known = hashes.get(path);
  if (known?.changedMs === changedMs) return known.hash;
  const hash = changedMs === 0 ? 'missing' : sha256(readFileSync(file));
  hashes.set(path, { changedMs, hash });
  return hash;
};

const sha256 = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');
