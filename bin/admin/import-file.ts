import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../functions/domain/problem.ts';
import { batchSize, type Creation, createAll, readAll } from '../../functions/store/bulk.ts';
import type { Entry, EntryReader } from './entry.ts';
import { inParallel } from './in-parallel.ts';
import { Progress } from './progress.ts';
import { type Line, readLines } from './read-lines.ts';

/** A line that was not imported, and everything that is wrong with it. */
export interface BadLine {
  readonly line: number;
  readonly errors: readonly Fault[];
}

/** How many lines there were, and what became of them. */
export interface Imported {
  readonly lines: number;
  readonly created: number;
  readonly present: number;
  readonly bad: number;
}

interface ImportOptions {
  /** Only looks at what would happen. */
  readonly dryRun?: boolean | undefined;
  readonly jsonColumns?: readonly string[];
  /** Told of each bad line when it is found, in no certain order. */
  readonly onBad: (bad: BadLine) => void;
}

interface LineEntry extends Entry {
  readonly line: number;
}

/** Requests under way at once. DynamoDB Local is as quick with two; over a real network it helps. */
const writers = 4;
/** A transaction holds 4 MB; what is counted here is JSON, a little more than DynamoDB counts. */
const batchBytes = 3_000_000;

/**
 * Creates an item for each line of a file that has none yet. An item that exists is never written,
 * so that a second run, or one after a crash, changes nothing that has happened since.
 *
 * A line is bad when it is not valid, or when its id stands for something else already.
 *
 * @throws AdminError when the file cannot be read
 */
export const importFile = async (
  file: string,
  read: EntryReader,
  { dryRun, jsonColumns, onBad }: ImportOptions,
): Promise<Imported> => {
  const tally = { lines: 0, created: 0, present: 0, bad: 0 };
  const progress = new Progress('lines');
  const { lines, share } = readLines(file, jsonColumns);

  const reject = (line: number, errors: Fault[]) => {
    tally.bad += 1;
    progress.clear();
    onBad({ line, errors });
  };

  async function* entries(): AsyncGenerator<LineEntry> {
    for await (const line of lines) {
      tally.lines += 1;
      progress.show(tally.lines, share());
      const entry = readEntry(line, read);
      if (Array.isArray(entry)) reject(line.number, entry);
      else yield { line: line.number, ...entry };
    }
  }

  await inParallel(inBatches(entries()), writers, async (batch) => {
    const items = batch.map(({ item }) => item);
    const creations = await (dryRun ? foresee(items) : createAll(items));
    for (const [index, { line, settled }] of batch.entries()) {
      const creation = creations[index] as Creation;
      const faults = faultsOf(creation, settled);
      if (faults.length > 0) reject(line, faults);
      else if (creation.outcome === 'created') tally.created += 1;
      else tally.present += 1;
    }
  });
  progress.clear();
  return tally;
};

const readEntry = (line: Line, read: EntryReader): Entry | Fault[] =>
  'fault' in line ? [{ pointer: '', code: 'unreadable', detail: line.fault }] : read(line.value);

/** One batch names no item twice: DynamoDB refuses that, and the later line must see the earlier. */
async function* inBatches(entries: AsyncGenerator<LineEntry>): AsyncGenerator<LineEntry[]> {
  let batch = new Map<string, LineEntry>();
  let bytes = 0;
  for await (const entry of entries) {
    const name = `${entry.item.pk} ${entry.item.sk}`;
    const size = Buffer.byteLength(JSON.stringify(entry.item));
    if (batch.size === batchSize || bytes + size > batchBytes || batch.has(name)) {
      yield [...batch.values()];
      batch = new Map();
      bytes = 0;
    }
    batch.set(name, entry);
    bytes += size;
  }
  if (batch.size > 0) yield [...batch.values()];
}

const foresee = async (items: readonly Entry['item'][]): Promise<Creation[]> => {
  const found = await readAll(items.map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })));
  return found.map((before) => (before ? { outcome: 'present', before } : { outcome: 'created' }));
};

const faultsOf = (creation: Creation, settled: Entry['settled']): Fault[] => {
  if (creation.outcome === 'refused') {
    return [{ pointer: '', code: 'refused', detail: `Cannot be stored: ${creation.reason}` }];
  }
  if (creation.outcome === 'created') return [];
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
    detail: 'Is there already with another value, which stays.',
  }));
};
