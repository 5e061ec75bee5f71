import { appendFileSync, readFileSync, statSync } from 'node:fs';
import type { Fault } from '../../../functions/domain/problem.ts';
import { type Item, keyOf, nameOf } from '../kinds/kind.ts';
import { DiskMap } from '../table/disk-map.ts';
import { addTo, type Tally } from '../table/tally.ts';
import { AdminError } from '../terminal/admin-error.ts';

/** A line of a file that is not imported, and everything that is wrong with it. */
export interface BadLine {
  readonly finding: 'bad_line';
  readonly line: number;
  readonly errors: readonly Fault[];
}

/** What an operator has to know or decide about an item. */
export interface ItemFinding {
  readonly finding: keyof typeof itemFindings;
  readonly pk: unknown;
  readonly sk: unknown;
  readonly detail: string;
  /** The item in the table that is, or was, in service, and in the restored one. */
  readonly now?: Item;
  readonly restored?: Item;
  /** The request that made the item. */
  readonly request_id?: unknown;
}

/** What an import or a restore reports. */
export type Finding = BadLine | ItemFinding;

/** The findings of a restore, as its help explains them. */
export const itemFindings = {
  differs: 'an item that has different states in the two tables; the restored state is not used',
  not_put_back: 'an item that cannot be put back, and why',
  changed_meanwhile: 'an item that has changed since it was planned; it is left as it is',
  effect_without_claim: 'an effect whose claim a torn transaction may have lost',
  lost: 'an effect that the table lacks, with a message for its client',
  violation: 'a violated invariant that the command cannot repair',
} as const;

/** These leave something for the operator to repair. */
const open: readonly Finding['finding'][] = [
  ...(['bad_line', 'not_put_back', 'changed_meanwhile', 'violation'] as const),
];

/** A finding that an item is not put back, and why. */
export const notPutBack = (item: Item, detail: string): Finding => ({
  finding: 'not_put_back',
  ...keyOf(item),
  detail: `${nameOf(item)}: ${detail}`,
});

/**
 * The findings of an import or a restore, each once. Each is added to a file at once. The file
 * keeps those of earlier runs: a claim that one of them has removed is in no table any more.
 */
export class Findings {
  readonly counts: Tally = {};
  readonly #file: string | undefined;
  readonly #all = new DiskMap<Finding>();
  readonly #lines: Set<string>;

  constructor(file?: string) {
    this.#file = file;
    const isFile = file && statSync(file, { throwIfNoEntry: false })?.isFile();
    const earlier = isFile ? readFileSync(file, 'utf8') : '';
    this.#lines = new Set(earlier.split('\n'));
    // A run that was killed may have left a part of a line.
    this.#write(earlier === '' || earlier.endsWith('\n') ? '' : '\n');
  }

  add(finding: Finding): void {
    // A lost effect may be known from a claim and from the old table.
    const [key, rank] =
      finding.finding === 'bad_line'
        ? [{ pk: finding.finding, sk: finding.line }, finding.line]
        : [{ pk: `${finding.finding} ${finding.pk}`, sk: finding.sk }, 0];
    if (this.#all.get(key)) return;
    this.#all.set(key, finding, rank);
    addTo(this.counts, finding.finding);
    const line = JSON.stringify(finding);
    if (!this.#lines.has(line)) this.#write(`${line}\n`);
  }

  #write(text: string): void {
    try {
      // It holds data of clients.
      if (this.#file) appendFileSync(this.#file, text, { mode: 0o600 });
    } catch (error) {
      throw new AdminError(`${this.#file} cannot be written: ${(error as Error).message}.`);
    }
  }

  /** Lines in their order, and items as they were found. */
  list(): Generator<Finding> {
    return this.#all.values();
  }

  /** Whether something is left to repair. */
  get isOpen(): boolean {
    return open.some((kind) => this.counts[kind]);
  }
}
