import { kindOf, needOf, subjectOf } from '../kinds/all.ts';
import { type Item, nameOf, ranks } from '../kinds/kind.ts';
import { batchSize, createAll, readAll, rewrite } from '../table/bulk.ts';
import { batched, inParallel } from '../table/in-parallel.ts';
import { type Redacted, redactAll } from '../table/redact-workspace.ts';
import { readRedactions, redactor } from '../table/redactions.ts';
import { totalOf } from '../table/tally.ts';
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

interface CarryOut {
  readonly signal: AbortSignal;
  /** Whether what counts a new item counts it in the same transaction. */
  readonly isCounting: boolean;
  /** The tables in which redactions may be recorded meanwhile. */
  readonly sources: readonly string[];
}

/**
 * Makes the changes that are planned, each on its condition: an item is created where none is, and
 * changed if what changes is still as it was read. What others need is made first, so whatever ends
 * it leaves the table consistent, and it can be done again.
 *
 * Each batch is redacted by what is recorded when it is written.
 *
 * @yields what became of a batch of changes
 */
export async function* carryOut(plan: Plan, options: CarryOut): AsyncGenerator<Outcome[]> {
  const refused = new Set<string>();
  for (const rank of ranks) {
    // What is counted takes another write in its transaction.
    const batches = batched(plan.values(rank), rank === 1 ? batchSize / 2 : batchSize, {
      most: batchBytes,
      of: ({ after }) => Buffer.byteLength(JSON.stringify(after)),
    });
    const making = inParallel(batches, writers, async (batch) => {
      if (options.signal.aborted) return [];
      const redacted = await redactedNow(batch, options.sources);
      const [without, possible] = partition(redacted, ({ after }) => {
        const need = needOf(after);
        return need !== undefined && refused.has(nameOf(need.key));
      });
      const reason = 'What it needs cannot be stored.';
      return [
        ...without.map((change): Outcome => ({ change, result: 'refused', reason })),
        ...(await makeAll(possible, options.isCounting)),
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

/** Changes without what redactions name that are recorded at this moment. */
const redactedNow = async (
  batch: readonly Change[],
  sources: readonly string[],
): Promise<Change[]> => {
  const named = batch.filter(({ after }) => subjectOf(after));
  if (named.length === 0) return [...batch];
  // An approval names no workspace; the payment request that it needs does.
  const needs = named.flatMap(({ after }) => (after.workspace ? [] : (needOf(after)?.key ?? [])));
  const owners = new Map((await readAll(needs)).map((owner) => [owner?.pk, owner]));
  const ownerOf = (item: Item) => (item.workspace ? item : owners.get(item.pk));
  const workspaces = new Set(named.flatMap(({ after }) => ownerOf(after)?.workspace ?? []));
  const reading = [...workspaces].flatMap((workspace) =>
    sources.map((name) => readRedactions(String(workspace), name)),
  );
  const redact = redactor((await Promise.all(reading)).flat());
  return batch.map((change) => ({ ...change, after: redact(change.after, ownerOf(change.after)) }));
};

/**
 * Ends an import or a restore: redacts what redactions name that were recorded since its plan, or
 * whose data the plan has found in the table. `redactAll` says why nothing is left.
 *
 * @param known the redactions that the plan was made with
 * @param recorded those that are recorded now
 */
export const redactRest = async (
  { known, found }: Pick<Plan, 'known' | 'found'>,
  recorded: readonly Item[],
  pause: () => Promise<unknown>,
): Promise<Redacted> => {
  const ids = new Set(known.map(({ id }) => id));
  const late = recorded.filter(({ id }) => !ids.has(id));
  if (late.length === 0 && totalOf(found) === 0) return { redacted: {}, found: {} };
  // Those of the old table, if the restored one is prepared.
  for await (const batch of batched(late, batchSize)) await createAll(batch);
  return redactAll(recorded, pause);
};
