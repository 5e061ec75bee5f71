import { isDeepStrictEqual } from 'node:util';
import type { Fault } from '../../../functions/domain/problem.ts';
import { table } from '../../../functions/store/client.ts';
import { isBeginning, isCompanion, kindOf, needOf, rankOf } from '../kinds/all.ts';
import { type Item, keyOf, ranks } from '../kinds/kind.ts';
import { redaction } from '../kinds/redaction.ts';
import { batchSize, rewrite } from '../table/bulk.ts';
import { DiskMap } from '../table/disk-map.ts';
import { batched, inParallel } from '../table/in-parallel.ts';
import {
  isUnredacted,
  ownRedactions,
  type Redact,
  readRedactions,
  redactor,
} from '../table/redactions.ts';
import { addTo } from '../table/tally.ts';
import type { CarryingOut } from './carry-out.ts';
import type { Line } from './exact-json.ts';
import { Findings } from './findings.ts';
import { type Change, type Found, missingNeed, Plan, readNeighbours } from './plan.ts';
import type { Entry, EntryReader } from './record-reader.ts';

/** What the plan of an import is told. */
export interface Planning {
  readonly signal: AbortSignal;
  /** Is called with the number of lines that are planned so far. */
  readonly onLines: (lines: number) => void;
}

/** A line of the file, and the item that it is. */
interface EntryLine extends Entry {
  readonly line: number;
}

const readers = 4;
/** Where the entry of a line is on disk. */
const placeOf = (line: number): Item => ({ pk: line, sk: '' });

/**
 * Creates an item for each line that has none yet. An item that exists is never undone: it takes
 * over the state of its line only if it is still as it began and the line's has gone on, or if the
 * line has a later revocation or removal. So a second run, or one after a crash, changes nothing
 * that has happened since. Of lines with one id the first good one is imported.
 *
 * All lines are read and planned before the first is written. A line is bad when it is not valid,
 * when its id stands for something else already, or when there is no such item as it needs.
 */
export class Import {
  readonly plan = new Plan();
  readonly findings = new Findings();
  /** How many lines were read. */
  lines = 0;
  /** How many of them need no write. */
  present = 0;
  readonly #entries = new DiskMap<EntryLine>();
  /** By the key of an item, the line that named it first and was not bad. */
  readonly #firstLines = new DiskMap<number>();
  /** The keys of items that a line has in another workspace than the table. */
  readonly #foreign = new DiskMap<true>();
  readonly #workspaces = new Set<string>();
  readonly #redactions: Item[] = [];
  #redact: Redact = (item) => item;

  /** Reads all lines, and plans what they change. */
  async read(
    lines: AsyncIterable<Line> | Iterable<Line>,
    reader: EntryReader,
    { signal, onLines }: Planning,
  ): Promise<void> {
    for await (const line of lines) this.#readLine(line, reader);
    // What was not read would look as if it were missing.
    if (signal.aborted) return;
    await this.#learnRedactions();
    for await (const planned of this.#planAll()) {
      if (signal.aborted) return;
      onLines(planned);
    }
  }

  /**
   * How what was read is carried out.
   *
   * @param pause waits for requests that may have read what is to be redacted
   */
  merge(signal: AbortSignal, pause: CarryingOut['pause']) {
    const { findings, plan, lines, present } = this;
    return {
      ...{ findings, plan, lines, present, signal, pause },
      isCounting: true,
      sources: [table()],
      recorded: () => this.#readRedactions(),
      settle: this.#settle,
      onRefused: ({ line = 0 }: Change, reason: string) =>
        this.#refuse(line, faults('', 'refused', `Cannot be stored: ${reason}`)),
    };
  }

  #readLine(line: Line, { read }: EntryReader): void {
    this.lines += 1;
    const entry = 'fault' in line ? faults('', 'unreadable', line.fault) : read(line.value);
    if (Array.isArray(entry)) {
      this.#refuse(line.number, entry);
      return;
    }
    const { item } = entry;
    if (item.type === redaction.type) this.#redactions.push(item);
    if (item.workspace) this.#workspaces.add(String(item.workspace));
    this.#entries.set(placeOf(line.number), { ...entry, line: line.number }, rankOf(item));
  }

  async #readRedactions(): Promise<Item[]> {
    const reading = [...this.#workspaces].map((workspace) => readRedactions(workspace));
    return (await Promise.all(reading)).flat();
  }

  /** Learns the redactions of the workspaces that the lines have named so far. */
  async #learnRedactions(): Promise<void> {
    // Those of the file come into the table before what they name.
    this.plan.known = [...(await this.#readRedactions()), ...this.#redactions];
    this.#redact = redactor(await ownRedactions(this.plan.known));
  }

  /** An approval names no workspace; the payment request that it needs does. */
  async #addOwners(batch: readonly EntryLine[], found: Found): Promise<void> {
    const before = this.#workspaces.size;
    for (const { item } of batch) {
      const need = item.workspace ? undefined : needOf(item);
      const workspace = need && this.plan.look(need.key, found)?.workspace;
      if (workspace) this.#workspaces.add(String(workspace));
    }
    if (this.#workspaces.size > before) await this.#learnRedactions();
  }

  async *#planAll(): AsyncGenerator<number> {
    let planned = 0;
    for (const rank of ranks) {
      const batches = batched(this.#entries.values(rank), batchSize);
      const reading = inParallel(batches, readers, async (batch) => {
        const found = await readNeighbours(batch.map(({ item }) => item));
        return { batch, found };
      });
      for await (const { batch, found } of reading) {
        await this.#addOwners(batch, found);
        for (const entry of batch) this.#planLine(entry, found);
        planned += batch.length;
        yield planned;
      }
    }
  }

  #planLine(entry: EntryLine, found: Found): void {
    const { item, line } = entry;
    const redact = this.#redact;
    const needed = this.#neededBy(item, found);
    if (Array.isArray(needed)) {
      this.#refuse(line, needed);
      return;
    }
    const first = this.#firstLines.get(item);
    const there = this.plan.look(keyOf(item), found);
    // A record of Powertools, which alone has no type, gives way to the claim in its place.
    const before = there?.type ? there : undefined;
    if (before && isUnredacted(before, redact, needed)) addTo(this.plan.found, before.type);
    const differing = before ? differences(before, entry, redact, needed, first) : [];
    if (differing.length > 0) {
      const isForeign = differing.some(({ code }) => code === 'exists_elsewhere');
      if (!first && isForeign) this.#foreign.set(item, true);
      this.#refuse(line, differing);
      return;
    }
    this.#firstLines.setIfMissing(item, line);
    const after = before ? advanced(before, item, redact(item, needed)) : redact(item, needed);
    if (first || after === before) this.present += 1;
    else this.plan.add({ ...(before && { before }), after, line });
  }

  /** What an item needs, if anything, or what is wrong with that. */
  #neededBy(item: Item, found: Found): Item | undefined | Fault[] {
    const need = needOf(item);
    if (!need) return undefined;
    const place = `/${need.member}`;
    if (missingNeed(this.plan, found, item)) {
      return faults(place, 'missing', `There is no ${need.what}, in the table or in the file.`);
    }
    const needed = this.plan.look(need.key, found) ?? {};
    const owner = this.plan.look(need.owner ?? need.key, found) ?? needed;
    if (this.#isOfAnother(item, owner)) {
      return faults(place, 'exists_elsewhere', `The ${need.what} belongs to another workspace.`);
    }
    if (!need.begun || !isBeginning(needed)) return owner;
    const { status } = needed;
    return faults(
      place,
      'not_begun',
      `The ${need.what} is still ${status}, in the table and in the file.`,
    );
  }

  /** An approval names no workspace: the lines of its payment request do. */
  #isOfAnother(item: Item, owner: Item): boolean {
    return item.workspace && owner.workspace
      ? item.workspace !== owner.workspace
      : this.#foreign.get(owner) === true && !this.#firstLines.get(owner);
  }

  #refuse(line: number, errors: readonly Fault[]): void {
    this.findings.add({ finding: 'bad_line', line, errors });
  }

  /** Another writer was first: its item takes over what is later in the line. */
  readonly #settle: CarryingOut['settle'] = async ({ after, line = 0 }, there) => {
    const entry = this.#entries.get(placeOf(line));
    if (!there || !entry) return 'present';
    const differing = differences(there, entry, this.#redact, after, undefined);
    if (differing.length > 0) {
      this.#refuse(line, differing);
      return undefined;
    }
    const next = advanced(there, entry.item, after);
    return next !== there && (await rewrite(there, next)) ? 'updated' : 'present';
  };
}

const faults = (pointer: string, code: Fault['code'], detail: string): Fault[] => [
  { pointer, code, detail },
];

/** The members that never change and differ between a line and the table. */
const differences = (
  before: Item,
  { item, constant }: Entry,
  redact: Redact,
  owner: Item | undefined,
  first: number | undefined,
): Fault[] => {
  const [now, line] = [redact(before, owner), redact(item, owner)];
  const differing = Object.keys(constant).filter(
    (name) => name in line && !isDeepStrictEqual(now[name], line[name]),
  );
  if (differing.includes('workspace')) {
    const detail = first
      ? `Line ${first} has this id in another workspace.`
      : 'This id belongs to another workspace.';
    return [{ pointer: '/id', code: 'exists_elsewhere', detail }];
  }
  // A sandbox that was imported as provisioning has got them here, at another time.
  if (isCompanion(before)) return [];
  return differing.map((name) => ({
    pointer: `/${name}`,
    code: 'exists_otherwise',
    detail: first
      ? `Line ${first} has the same id and another value, which stays.`
      : 'Exists already with another value, which stays.',
  }));
};

/**
 * What becomes of an item in whose place a line comes: it takes over a later status, revocation or
 * removal. The same item, if nothing does.
 *
 * @param redacted the line's item. A redaction voids an offer and ends an attempt, but is no news
 * of what the table has
 */
const advanced = (before: Item, item: Item, redacted: Item): Item => {
  const kind = kindOf(item);
  const later = kind?.beginnings
    ? advancedStatus(before, item, redacted)
    : kind?.later?.(before, item);
  if (!later || isDeepStrictEqual(later, before)) return before;
  return { ...later, imported: item.imported };
};

const advancedStatus = (before: Item, item: Item, redacted: Item): Item => {
  if (!isBeginning(before) || isBeginning(item)) return before;
  const changing = kindOf(item)?.changing ?? [];
  return { ...before, ...Object.fromEntries(changing.map((name) => [name, redacted[name]])) };
};
