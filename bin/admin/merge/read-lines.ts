import { createReadStream, statSync } from 'node:fs';
import { addAbortSignal } from 'node:stream';
import { AdminError, required, UsageError } from '../terminal/admin-error.ts';
import { csvLines } from './csv-lines.ts';
import { exactJson, type Line } from './exact-json.ts';
import type { Column } from './record-reader.ts';
import { type TextLine, textLines } from './text-lines.ts';

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
  /** Is called with the bytes that were read, and how many there are, where it is known. */
  readonly onRead?: (bytes: number, total: number | undefined) => void;
}

/**
 * Opens a JSON Lines or CSV file, which is read as it is consumed, never as a whole.
 *
 * @throws AdminError when there is no such file, it is a directory, or has no line
 */
export const openLines = (source: Source): AsyncGenerator<Line> => {
  const { file, columns } = source;
  const name = file === '-' ? 'Standard input' : file;
  const size = file === '-' ? undefined : sizeOf(file);
  const only = columns || size !== undefined ? undefined : 'jsonl';
  const format = source.format ?? /\.(jsonl|csv)$/.exec(file)?.[1] ?? only;
  if (!format) {
    throw new UsageError(
      `${name} does not end in .jsonl or .csv: add --format jsonl or --format csv.`,
    );
  }
  if (format === 'csv' && !columns) {
    throw new UsageError('An export is JSON Lines: it cannot be imported as CSV.');
  }
  const lines = textLines(chunksOf(source, size));
  const records = format === 'csv' ? csvLines(lines, columns ?? []) : jsonLines(lines);
  return untilAborted(name, records, source.signal);
};

async function* chunksOf(
  { file, signal, onRead }: Source,
  total: number | undefined,
): AsyncGenerator<Buffer> {
  const stream = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      onRead?.(bytes, total);
      yield chunk;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** How large a regular file is. */
const sizeOf = (file: string): number | undefined => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new AdminError(`${file} is a directory: name a file.`);
  return required(stats, `There is no file ${file}.`).isFile() ? stats?.size : undefined;
};

async function* jsonLines(lines: AsyncIterable<TextLine>): AsyncGenerator<Line> {
  for await (const line of lines) {
    if ('fault' in line) yield line;
    else if (line.text.trim()) yield { number: line.number, ...exactJson(line.text) };
  }
}

/** A reading that is ended may end within a line: what it has read of that one is no line. */
async function* untilAborted(
  name: string,
  lines: AsyncIterable<Line>,
  signal: AbortSignal,
): AsyncGenerator<Line> {
  let isEmpty = true;
  try {
    for await (const line of lines) {
      if (signal.aborted) return;
      isEmpty = false;
      yield line;
    }
  } catch (error) {
    // The first line may be half a header.
    if (!signal.aborted) throw error;
  }
  if (isEmpty && !signal.aborted) throw new AdminError(`${name} has no line to import.`);
}
