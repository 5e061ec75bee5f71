import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildContext, build, context, type OutputFile, stop } from 'esbuild';
import { buildDirectory } from './build-directory.ts';
import { bundling, readFunctionNames } from './bundles.ts';
import { trimPlugins } from './trims.ts';

/** A bundle that has changed. */
export interface Rebuilt {
  readonly functionName: string;
  readonly directory: string;
  /** Where the bundle was before; unset for a new function. */
  readonly earlier: string | undefined;
}

interface Built {
  readonly directory: string;
  readonly content: string;
}

/**
 * The bundles of all Lambdas for the local run, made again when files change. esbuild keeps what it
 * has parsed, and parses what several functions import only once: together they take a third of a
 * second and 140 MB, nine contexts would take two seconds and a gigabyte. So functions share chunks
 * here, and a deployed bundle does not; each directory holds all that its function loads.
 */
export class LiveBundles {
  readonly #parent = buildDirectory();
  readonly #minify: boolean;
  readonly #built = new Map<string, Built>();
  #context: BuildContext<{ metafile: true; write: false }> | undefined;
  #names = '';
  #inputs: ReadonlySet<string> = new Set();
  #isFailed = false;
  #count = 0;

  /** @param minify false keeps the names of the source for a debugger */
  constructor({ minify }: { readonly minify: boolean }) {
    this.#minify = minify;
  }

  /** The directory of each bundle by the function's name. */
  get directories(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#built].map(([name, { directory }]) => [name, directory]));
  }

  /** Whether a change of the file may change a bundle. After a failure every file may. */
  dependOn(file: string): boolean {
    return this.#isFailed || this.#inputs.has(file) || this.#names !== readFunctionNames().join();
  }

  /**
   * Bundles the functions as their files are now. Bundles that are in use are not written to.
   *
   * @param isCurrent asked when esbuild has read the files; if they have changed since, nothing is
   * kept
   * @returns the bundles that differ from before, or undefined if they were not kept
   * @throws BuildFailure of esbuild; the bundles stay as they were
   */
  async rebuild(isCurrent = async () => true): Promise<Rebuilt[] | undefined> {
    this.#isFailed = true;
    const { outputFiles, metafile } = await (await this.#currentContext()).rebuild();
    if (!(await isCurrent())) return undefined;
    this.#isFailed = false;
    this.#inputs = new Set(Object.keys(metafile.inputs));
    this.#count += 1;

    const files = new Map(outputFiles.map((file) => [basename(file.path), file]));
    const imports = new Map(
      Object.entries(metafile.outputs).map(([path, output]) => [
        basename(path),
        output.imports.map((each) => basename(each.path)).filter((name) => files.has(name)),
      ]),
    );
    const rebuilt: Rebuilt[] = [];
    for (const functionName of this.#names.split(',')) {
      const entry = `${functionName}.mjs`;
      const parts = reachable(entry, imports)
        .flatMap((name) => [files.get(name), files.get(`${name}.map`)])
        .filter((file) => file !== undefined);
      const content = parts.map(({ hash }) => hash).join();
      const before = this.#built.get(functionName);
      if (before?.content === content) continue;
      const directory = join(this.#parent, `${functionName}.${this.#count}`);
      write(directory, parts, entry);
      this.#built.set(functionName, { directory, content });
      rebuilt.push({ functionName, directory, earlier: before?.directory });
    }
    return rebuilt;
  }

  /** Ends esbuild with the memory that it takes; the bundles stay. */
  async dispose(): Promise<void> {
    await this.#context?.dispose();
    await stop();
  }

  /** Its entries are fixed when it is made, so that a new function needs another one. */
  async #currentContext() {
    const names = readFunctionNames();
    if (this.#context && this.#names === names.join()) return this.#context;
    await this.#context?.dispose();
    this.#names = names.join();
    this.#context = await context({
      ...bundling,
      entryPoints: Object.fromEntries(names.map((name) => [name, `functions/${name}.ts`])),
      // As deep as the directories that are written: source maps name sources relative to it.
      outdir: join(this.#parent, 'bundles'),
      minify: this.#minify,
      plugins: trimPlugins(),
      write: false,
      logLevel: 'silent',
    });
    return this.#context;
  }
}

/** A file and all that it imports, now or on demand. */
const reachable = (entry: string, imports: ReadonlyMap<string, readonly string[]>): string[] => {
  const found = new Set([entry]);
  for (const name of found) for (const imported of imports.get(name) ?? []) found.add(imported);
  return [...found];
};

/** Lambda's handler is in `index.mjs`. */
const write = (directory: string, files: readonly OutputFile[], entry: string): void => {
  mkdirSync(directory, { recursive: true });
  for (const { path, contents } of files) {
    const name = basename(path);
    writeFileSync(join(directory, name === entry ? 'index.mjs' : name), contents);
  }
};

/** The files of this project that decide what the template says. */
export const readTemplateInputs = async (): Promise<ReadonlySet<string>> => {
  const { metafile } = await build({
    absWorkingDir: bundling.absWorkingDir,
    entryPoints: ['lib/app.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
    outdir: 'unused',
    logLevel: 'silent',
  });
  return new Set(Object.keys(metafile.inputs));
};
