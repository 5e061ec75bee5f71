import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal, type Readable } from 'node:stream';
import { maximumItemBytes } from '../table/item-limits.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { csvLines } from './csv-lines.ts';
import type { Column } from './entry.ts';
import { exactJson, type Line } from './exact-json.ts';

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

/**
 * Opens a JSON Lines or CSV file, which is read as it is consumed, never as a whole.
 *
 * @returns its lines and how many there are, which is unknown for standard input: it can be read
 * only once
 * @throws AdminError when there is no such file
 */
export const openLines = async (source: Source) => {
  const { file, columns, signal } = source;
  const only = file === '-' && !columns ? 'jsonl' : undefined;
  const format = source.format ?? /\.(jsonl|csv)$/.exec(file)?.[1] ?? only;
  if (!format) {
    throw new UsageError(`Add --format jsonl or --format csv: the name ${file} does not show it.`);
  }
  if (format === 'csv' && !columns) {
    throw new UsageError('An export is JSON Lines: it cannot be imported as CSV.');
  }
  const header = format === 'csv' ? 1 : 0;
  const total = file === '-' ? undefined : (await countLines(file)) - header;
  const stream = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  const lines = textLines(untilAborted(stream, signal));
  return { lines: format === 'csv' ? csvLines(lines, columns ?? []) : jsonLines(lines), total };
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

async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    yield* stream;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* jsonLines(lines: AsyncIterable<TextLine>): AsyncGenerator<Line> {
  for await (const line of lines) {
    if ('fault' in line) yield line;
    else if (line.text.trim()) yield { number: line.number, ...exactJson(line.text) };
  }
}

/** A line of a file without its line feed, or why it is not text. */
export type TextLine = { readonly number: number } & (
  | { readonly text: string }
  | { readonly fault: string }
);

/**
 * No line of an export is longer: JSON takes at most six bytes for what DynamoDB counts as one, as
 * in `\u0001` or `false,`.
 */
export const maximumLineBytes = 6 * maximumItemBytes;

/**
 * The lines of a text, each decoded on its own, so that bytes that are no text spoil one line. Not
 * readline, which also splits at U+2028 and U+2029; JSON may hold them in a string. Of a line that
 * is too long nothing is kept. A byte order mark is left out.
 */
async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine> {
  let [number, length, pieces]: [number, number, Buffer[]] = [0, 0, []];
  const add = (piece: Buffer) => {
    length += piece.length;
    if (length <= maximumLineBytes) pieces.push(piece);
    else pieces = [];
  };
  const take = (): TextLine => {
    number += 1;
    const line = length > maximumLineBytes ? { fault: tooLong } : decoded(pieces, number === 1);
    [length, pieces] = [0, []];
    return { number, ...line };
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      add(chunk.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(chunk.subarray(start));
  }
  if (length > 0) yield take();
}

/** The byte that ends a line. */
const lineFeed = 10;

const tooLong = `Is longer than ${maximumLineBytes.toLocaleString('en')} bytes.`;
// A decoder that replaced bytes would change the text silently.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const decoded = (pieces: readonly Buffer[], isFirst: boolean) => {
  try {
    const text = decoder.decode(Buffer.concat(pieces));
    return { text: isFirst ? text.replace(/^\ufeff/, '') : text };
  } catch {
    return { fault: 'Is not text in UTF-8.' };
  }
};
