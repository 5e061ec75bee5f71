import { kindOf, needOf } from '../kinds/all.ts';
import { type Item, nameOf, ranks } from '../kinds/kind.ts';
import { batchSize, createAll, rewrite } from '../table/bulk.ts';
import { batched, inParallel } from '../table/in-parallel.ts';
import type { Redact } from '../table/redactions.ts';
import type { Change, Plan } from './plan.ts';

/** Concurrent requests. DynamoDB Local is as quick with two; more help over a real network. */
const writers = 4;
/** A transaction holds 4 MB; what is counted here is JSON, a little more than DynamoDB counts. */
const batchBytes = 3_000_000;

/** What became of a planned change. */
export type Outcome = { readonly change: Change } & (
  | { readonly result: 'created' | 'updated' }
  /** An item that was not there when the change was planned. */
  | { readonly result: 'present'; readonly before: Item }
  /** The item has changed since it was planned. */
  | { readonly result: 'changed' }
  | { readonly result: 'refused'; readonly reason: string }
);

/**
 * Makes the changes that are planned, each on its condition: an item is created where none is, and
 * changed if what changes is still as it was read. What others need is made first, so whatever ends
 * it leaves the table consistent, and it can be done again.
 *
 * @param isCounting whether what counts a new item counts it in the same transaction
 * @yields what became of a batch of changes
 */
export async function* carryOut(
  plan: Plan,
  signal: AbortSignal,
  isCounting: boolean,
): AsyncGenerator<Outcome[]> {
  const refused = new Set<string>();
  for (const rank of ranks) {
    // What is counted takes another write in its transaction.
    const batches = batched(plan.values(rank), rank === 1 ? batchSize / 2 : batchSize, {
      most: batchBytes,
      of: ({ after }) => Buffer.byteLength(JSON.stringify(after)),
    });
    const making = inParallel(batches, writers, async (batch) => {
      if (signal.aborted) return [];
      const [without, possible] = partition(batch, ({ after }) => {
        const need = needOf(after);
        return need !== undefined && refused.has(nameOf(need.key));
      });
      const reason = 'What it needs cannot be stored.';
      return [
        ...without.map((change): Outcome => ({ change, result: 'refused', reason })),
        ...(await makeAll(possible, isCounting)),
      ];
    });
    for await (const outcomes of making) {
      for (const { change, result } of outcomes) {
        if (result === 'refused') refused.add(nameOf(change.after));
      }
      yield outcomes;
    }
  }
}

const partition = <T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((each) => !isFirst(each)),
];

const makeAll = async (batch: readonly Change[], isCounting: boolean): Promise<Outcome[]> => {
  const creating = batch.filter(({ before }) => !before);
  const creations = await createAll(
    creating.map(({ after }) => after),
    (item) => (isCounting ? kindOf(item)?.counter?.(item) : undefined),
  );
  const created = creating.flatMap((change, index): Outcome[] => {
    const creation = creations[index];
    return creation ? [{ change, ...creation }] : [];
  });
  const changing = batch.map(async (change): Promise<Outcome[]> => {
    const { before, after } = change;
    if (!before) return [];
    return [{ change, result: (await rewrite(before, after)) ? 'updated' : 'changed' }];
  });
  return [...created, ...(await Promise.all(changing)).flat()];
};

/**
 * Redacts what was written, but was read before its redaction: an operator may redact while another
 * one imports or restores.
 */
export const redactWritten = async (plan: Plan, redact: Redact): Promise<void> => {
  for (const { after } of plan.values()) await rewrite(after, redact(after));
};
