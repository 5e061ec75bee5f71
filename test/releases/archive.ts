import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** The texts of files by their paths within a directory, or within an archive. */
export type Files = Readonly<Record<string, string>>;

/**
 * Files as one compressed JSON text. Bundles repeat most of their code, so the window is as large
 * as brotli allows: packing takes half a minute, reading a quarter of a second.
 */
export const pack = (files: Files): Buffer => {
  const text = Buffer.from(JSON.stringify(files));
  const { BROTLI_PARAM_LARGE_WINDOW, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  return brotliCompressSync(text, {
    params: {
      [BROTLI_PARAM_LARGE_WINDOW]: 1,
      [BROTLI_PARAM_LGWIN]: constants.BROTLI_LARGE_MAX_WINDOW_BITS,
      [BROTLI_PARAM_SIZE_HINT]: text.length,
    },
  });
};

/** The files of an archive. */
export const unpack = (archive: Buffer): Files =>
  JSON.parse(
    brotliDecompressSync(archive, {
      params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 1 },
    }).toString(),
  );

/** The files below a directory. They must be text. */
export const readFiles = (directory: string): Files =>
  Object.fromEntries(
    readdirSync(directory, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]),
  );

/** Writes files into a directory. */
export const writeFiles = async (directory: string, files: Files): Promise<void> => {
  for (const [path, text] of Object.entries(files)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
};
