import { createReadStream, fstatSync, open, type Stats, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import { AdminError, required, UsageError } from '../terminal/admin-error.ts';
import { csvLines } from './csv-lines.ts';
import type { Column } from './entry.ts';
import { exactJson, type Line } from './exact-json.ts';
import { lineFeed, type TextLine, textLines } from './text-lines.ts';

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
 * @returns its lines and how many there are, which is unknown for standard input, a pipe or a
 * device: it can be read only once
 * @throws AdminError when there is no such file, or it is a directory
 */
export const openLines = async (source: Source) => {
  const { file, columns, signal } = source;
  const stats = file === '-' ? undefined : statsOf(file);
  const only = columns || stats?.isFile() ? undefined : 'jsonl';
  const format = source.format ?? /\.(jsonl|csv)$/.exec(file)?.[1] ?? only;
  if (!format) {
    throw new UsageError(
      `${sourceName(source)} does not end in .jsonl or .csv: add --format jsonl or --format csv.`,
    );
  }
  if (format === 'csv' && !columns) {
    throw new UsageError('An export is JSON Lines: it cannot be imported as CSV.');
  }
  const header = format === 'csv' ? 1 : 0;
  const total = stats?.isFile() ? (await countLines(file)) - header : undefined;
  const stream = addAbortSignal(signal, await openStream(file, stats));
  const lines = textLines(untilAborted(stream, signal));
  return { lines: format === 'csv' ? csvLines(lines, columns ?? []) : jsonLines(lines), total };
};

const statsOf = (file: string): Stats => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new AdminError(`${file} is a directory: name a file.`);
  return required(stats, `There is no file ${file}.`);
};

const openStream = async (file: string, stats: Stats | undefined): Promise<Readable> => {
  if (!stats || isStandardInput(stats)) return process.stdin;
  // Unlike a read of a file, a read of a socket can be aborted while a pipe is silent.
  if (stats.isFIFO()) return new Socket({ fd: await promisify(open)(file, 'r') });
  return createReadStream(file);
};

/** Whether a name such as /dev/stdin is that of standard input; a socket has no other way in. */
const isStandardInput = (stats: Stats): boolean => {
  const { dev, ino } = fstatSync(0);
  return !stats.isFile() && stats.dev === dev && stats.ino === ino;
};

const countLines = async (file: string): Promise<number> => {
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
