import type { Fault } from '../../../functions/domain/problem.ts';
import { batchSize, nameOf } from '../table/bulk.ts';
import { DiskMap } from '../table/disk-map.ts';
import { inParallel } from '../table/in-parallel.ts';
import { refusalOf } from '../table/item-limits.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { Progress } from '../terminal/progress.ts';
import { type EntryReader, refused } from './entry.ts';
import type { Line } from './exact-json.ts';
import { newDryRunTable, realTable } from './import-table.ts';
import { openLines, type Source, sourceName } from './read-lines.ts';
import { type ReadLine, type SettledLine, settler, type Touched } from './settle.ts';

/** Concurrent requests. DynamoDB Local is as quick with two; more help over a real network. */
const writers = 4;
/** A transaction holds 4 MB; what is counted here is JSON, a little more than DynamoDB counts. */
const batchBytes = 3_000_000;

/**
 * Creates an item for each line of a source that has none yet. An item that exists is never undone:
 * it takes over the state of its line only if it is still as it began and the line's has gone on.
 * So a second run, or one after a crash, changes nothing that has happened since. Of lines with one
 * id the first is imported, in a dry run too.
 *
 * Lines that need the items of others are settled after them, wherever they stand: what is in the
 * table is then consistent at every moment.
 *
 * A line is bad when it is not valid, when its id stands for something else already, or when there
 * is no such item as it needs.
 *
 * @param dryRun only looks at what would happen
 * @param touched is filled
 * @returns the results of the lines in the order in which they are settled, until the source's
 * signal ends it
 * @throws AdminError when the file cannot be read or has no line
 */
export async function* importFile(
  source: Source,
  reader: EntryReader,
  dryRun: boolean,
  touched: Touched,
): AsyncGenerator<SettledLine> {
  const { lines, total } = await openLines(source);
  const progress = new Progress('lines', total);
  const waiting = new DiskMap<Line>();
  const settle = settler(dryRun ? newDryRunTable() : realTable, touched);
  const read = (line: Line) => readEntry(line, reader);
  let count = 0;

  for (const [rank, size] of batchSizes.entries()) {
    const readLines =
      rank === 0 ? independentLines(lines, read, waiting) : waiting.values(rank).map(read);
    const batches = inBatches(readLines, size, source.signal);
    for await (const batch of inParallel(batches, writers, settle)) {
      for (const line of batch) {
        if (Array.isArray(line.result)) progress.clear();
        yield line;
      }
      count += batch.length;
      progress.show(count);
    }
  }
  progress.clear();
  if (count === 0 && !source.signal.aborted) {
    throw new AdminError(`${sourceName(source)} has no line to import.`);
  }
}

/** By rank (`table/needs.ts`): what is counted takes another write in its transaction. */
const batchSizes = [batchSize, batchSize, batchSize / 2, batchSize] as const;

/** The entry of a line, or its faults. */
export const readEntry = (line: Line, { read }: EntryReader): ReadLine => {
  const unreadable = (detail: string): Fault[] => [{ pointer: '', code: 'unreadable', detail }];
  const entry = 'fault' in line ? unreadable(line.fault) : read(line.value);
  const reason = Array.isArray(entry) ? undefined : refusalOf(entry.item);
  return { line: line.number, entry: reason ? [refused(reason)] : entry };
};

/** The lines that need no other, bad ones among them. Those that do wait. */
async function* independentLines(
  lines: AsyncGenerator<Line>,
  read: (line: Line) => ReadLine,
  waiting: DiskMap<Line>,
): AsyncGenerator<ReadLine> {
  for await (const line of lines) {
    const readLine = read(line);
    const rank = Array.isArray(readLine.entry) ? 0 : (readLine.entry.rank ?? 0);
    if (rank > 0) waiting.set({ pk: rank, sk: line.number }, line, rank);
    else yield readLine;
  }
}

/** A batch names no item twice: DynamoDB rejects that, and a later line must see the earlier. */
async function* inBatches(
  lines: AsyncIterable<ReadLine> | Iterable<ReadLine>,
  most: number,
  signal: AbortSignal,
): AsyncGenerator<ReadLine[]> {
  let batch: ReadLine[] = [];
  let names = new Set<string>();
  let bytes = 0;
  for await (const line of lines) {
    if (signal.aborted) break;
    const item = Array.isArray(line.entry) ? undefined : line.entry.item;
    const name = item && nameOf(item);
    const size = item ? Buffer.byteLength(JSON.stringify(item)) : 0;
    if (batch.length === most || bytes + size > batchBytes || (name && names.has(name))) {
      yield batch;
      batch = [];
      names = new Set();
      bytes = 0;
    }
    batch.push(line);
    if (name) names.add(name);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
