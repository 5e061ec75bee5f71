import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, Readable } from 'node:stream';
import { AdminError, UsageError } from './admin-error.ts';
import type { Column } from './columns.ts';
import { csvLines } from './csv-lines.ts';
import { type Line, parsedJson } from './line.ts';

/** The formats that an import reads. */
export const formats = ['jsonl', 'csv'] as const;

/** Where lines come from. */
export interface Source {
  /** `-` is standard input. */
  readonly file: string;
  /** Without it, the file's name says it. */
  readonly format?: (typeof formats)[number] | undefined;
  /** The columns that CSV may have; without them, it cannot be CSV. */
  readonly columns?: readonly Column[] | undefined;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/** What a sentence calls it. */
export const sourceName = ({ file }: Source): string => (file === '-' ? 'Standard input' : file);

/** A source that is read as it is consumed, never as a whole. */
export interface Lines {
  readonly lines: AsyncGenerator<Line>;
  /** Unknown for standard input, which can be read only once. */
  readonly total?: number;
}

/**
 * Opens a JSON Lines or CSV file.
 *
 * @throws AdminError when there is no such file, or as soon as it turns out not to be UTF-8
 */
export const openLines = async (source: Source): Promise<Lines> => {
  const { file, columns, signal } = source;
  const only = file === '-' && !columns ? 'jsonl' : undefined;
  const format = source.format ?? /\.(jsonl|csv)$/.exec(file)?.[1] ?? only;
  if (!format) {
    throw new UsageError(`Add --format jsonl or --format csv: the name ${file} does not show it.`);
  }
  if (format === 'csv' && !columns) {
    throw new UsageError('An export is JSON Lines: it cannot be imported as CSV.');
  }
  const total = file === '-' ? undefined : await countLines(file);
  const stream = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  const text = decoded(stream, source);
  return {
    lines: format === 'csv' ? csvLines(Readable.from(text), columns ?? []) : jsonLines(text),
    ...(total !== undefined && { total }),
  };
};

const countLines = async (file: string): Promise<number> => {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new AdminError(`There is no file ${file}.`);
  }
  let [lines, last] = [0, lineFeed];
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 20 })) {
    for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
    last = chunk.at(-1);
  }
  return last === lineFeed ? lines : lines + 1;
};

const lineFeed = 10;

/** Leaves out a byte order mark. Bytes that are no text end it, where Node would replace them. */
async function* decoded(stream: Readable, source: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of stream) yield decoder.decode(bytes, { stream: true });
    yield decoder.decode();
  } catch (error) {
    if (source.signal.aborted) return;
    if ((error as NodeJS.ErrnoException).code !== 'ERR_ENCODING_INVALID_ENCODED_DATA') throw error;
    throw new AdminError(`${sourceName(source)} is not text in UTF-8.`);
  }
}

async function* jsonLines(chunks: AsyncIterable<string>): AsyncGenerator<Line> {
  let number = 0;
  for await (const text of splitAtLineFeeds(chunks)) {
    number += 1;
    if (text.trim() !== '') yield { number, ...parsedJson(text) };
  }
}

/** Not readline, which also splits at U+2028 and U+2029; JSON may hold them in a string. */
async function* splitAtLineFeeds(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const pieces = (rest + chunk).split('\n');
    rest = pieces.pop() ?? '';
    yield* pieces;
  }
  yield rest;
}
