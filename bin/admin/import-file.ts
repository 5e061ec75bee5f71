import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../functions/domain/problem.ts';
import { AdminError } from './admin-error.ts';
import type { Entry, EntryReader } from './entry.ts';
import { foresight } from './foresight.ts';
import { inParallel } from './in-parallel.ts';
import type { Line } from './line.ts';
import { Progress } from './progress.ts';
import { openLines, type Source, sourceName } from './read-lines.ts';
import { batchSize, type Creation, createAll } from './table/bulk.ts';
import type { Item } from './table/scan.ts';

/** A line that was not imported, and everything that is wrong with it. */
export interface BadLine {
  readonly line: number;
  readonly errors: readonly Fault[];
}

/** How many lines were settled, and how. */
export interface Imported {
  readonly lines: number;
  readonly created: number;
  readonly present: number;
  readonly bad: number;
}

interface ImportOptions {
  /** Only looks at what would happen. */
  readonly dryRun?: boolean | undefined;
  /** Called with each bad line, in the order of the lines. */
  readonly onBad: (bad: BadLine) => void;
}

/** A line of the file: what it stands for, or what is wrong with it. */
interface Row {
  readonly line: number;
  readonly entry: Entry | Fault[];
}

/** Requests under way at once. DynamoDB Local is as quick with two; over a real network it helps. */
const writers = 4;
/** A transaction holds 4 MB; what is counted here is JSON, a little more than DynamoDB counts. */
const batchBytes = 3_000_000;

/**
 * Creates an item for each line of a source that has none yet. An item that exists is never written,
 * so that a second run, or one after a crash, changes nothing that has happened since. Of lines with
 * one id the first is imported, in a dry run too.
 *
 * A line is bad when it is not valid, or when its id stands for something else already.
 *
 * @returns what became of the lines that were settled before the source's signal, if it came
 * @throws AdminError when the file cannot be read or has no line
 */
export const importFile = async (
  source: Source,
  { read }: EntryReader,
  { dryRun, onBad }: ImportOptions,
): Promise<Imported> => {
  const tally = { lines: 0, created: 0, present: 0, bad: 0 };
  const { lines, total } = await openLines(source);
  const progress = new Progress('lines', total);
  const settle = settler(dryRun ? foresight() : createAll);

  for await (const batch of inParallel(
    inBatches(rows(lines, read, source.signal)),
    writers,
    settle,
  )) {
    for (const { line, outcome } of batch) {
      tally.lines += 1;
      if (typeof outcome === 'string') tally[outcome] += 1;
      else {
        tally.bad += 1;
        progress.clear();
        onBad({ line, errors: outcome });
      }
    }
    progress.show(batch.at(-1)?.line ?? 0);
  }
  progress.clear();
  if (tally.lines === 0 && !source.signal.aborted) {
    throw new AdminError(`${sourceName(source)} has no line to import.`);
  }
  return tally;
};

async function* rows(
  lines: AsyncGenerator<Line>,
  read: EntryReader['read'],
  signal: AbortSignal,
): AsyncGenerator<Row> {
  for await (const line of lines) {
    if (signal.aborted) return;
    const entry =
      'fault' in line
        ? [{ pointer: '', code: 'unreadable' as const, detail: line.fault }]
        : read(line.value);
    yield { line: line.number, entry };
  }
}

/** One batch names no item twice: DynamoDB refuses that, and the later line must see the earlier. */
async function* inBatches(rows: AsyncGenerator<Row>): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let names = new Set<string>();
  let bytes = 0;
  for await (const row of rows) {
    const [item] = itemsOf([row]);
    const name = item && nameOf(item);
    const size = item ? Buffer.byteLength(JSON.stringify(item)) : 0;
    if (batch.length === batchSize || bytes + size > batchBytes || (name && names.has(name))) {
      yield batch;
      batch = [];
      names = new Set();
      bytes = 0;
    }
    batch.push(row);
    if (name) names.add(name);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

interface SettledRow {
  readonly line: number;
  readonly outcome: 'created' | 'present' | Fault[];
}

/** Creates the items of a batch, but after those of the earlier batches that name one of them too. */
const settler = (create: typeof createAll) => {
  const underWay = new Map<string, Promise<unknown>>();
  return async (batch: readonly Row[]): Promise<SettledRow[]> => {
    const items = itemsOf(batch);
    const names = items.map(nameOf);
    const earlier = names.flatMap((name) => underWay.get(name) ?? []);
    const creating = Promise.all(earlier).then(() => create(items));
    for (const name of names) underWay.set(name, creating);
    const creations = (await creating).values();
    for (const name of names) if (underWay.get(name) === creating) underWay.delete(name);
    return batch.map(({ line, entry }) => ({
      line,
      outcome: Array.isArray(entry)
        ? entry
        : outcomeOf(creations.next().value as Creation, entry.settled),
    }));
  };
};

const itemsOf = (batch: readonly Row[]): Item[] =>
  batch.flatMap(({ entry }) => (Array.isArray(entry) ? [] : [entry.item]));

const nameOf = ({ pk, sk }: Item) => `${pk} ${sk}`;

const outcomeOf = (creation: Creation, settled: Entry['settled']): SettledRow['outcome'] => {
  if (creation.outcome === 'created') return 'created';
  const faults = faultsOf(creation, settled);
  return faults.length > 0 ? faults : 'present';
};

const faultsOf = (
  creation: Exclude<Creation, { outcome: 'created' }>,
  settled: Entry['settled'],
): Fault[] => {
  if (creation.outcome === 'refused') {
    return [{ pointer: '', code: 'refused', detail: `Cannot be stored: ${creation.reason}` }];
  }
  const { before } = creation;
  const differing = Object.keys(settled).filter(
    (name) => !isDeepStrictEqual(before[name], settled[name]),
  );
  if (differing.includes('workspace')) {
    const detail = 'This id belongs to another workspace.';
    return [{ pointer: '/id', code: 'exists_elsewhere', detail }];
  }
  return differing.map((name) => ({
    pointer: `/${name}`,
    code: 'exists_otherwise',
    detail: 'Exists already with another value, which stays.',
  }));
};
