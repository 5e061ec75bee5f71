import { kindOf, kinds, needOf, subjectOf } from '../kinds/all.ts';
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

/** What was done of a plan; what is `present` needed no write. */
export type Counts = Record<'created' | 'updated' | 'present', number>;

/** What became of a planned change; without a result it was left alone, and that is reported. */
type Outcome = { readonly change: Change } & (
  | { readonly result: keyof Counts | undefined }
  | { readonly result: 'refused'; readonly reason: string }
);

/** How to carry out a plan. */
export interface CarryingOut {
  readonly plan: Plan;
  readonly signal: AbortSignal;
  /** Whether what counts a new item counts it in the same transaction. */
  readonly isCounting: boolean;
  /** The tables in which redactions may be recorded meanwhile, and those that are now. */
  readonly sources: readonly string[];
  readonly recorded: () => Promise<readonly Item[]>;
  /** Waits for requests that may have read what is to be redacted. */
  readonly pause: () => Promise<unknown>;
  /**
   * Decides about an item that has changed since it was planned.
   *
   * @param there what is in its place, where nothing was
   */
  readonly settle: (change: Change, there: Item | undefined) => Promise<keyof Counts | undefined>;
  readonly onRefused: (change: Change, reason: string) => void;
  /** Is called with the number of items that are done so far. */
  readonly onDone: (items: number) => void;
}

/**
 * Makes the changes that are planned, each on its condition: an item is created where none is, and
 * changed if what changes is still as it was read. What others need is made first, so whatever ends
 * it leaves the table consistent, and it can be done again.
 *
 * Each batch is redacted by what is recorded when it is written. At the end what redactions name is
 * redacted that were recorded since the plan, or whose data the plan has found in the table.
 *
 * @param counts to which what is done is added at once
 * @throws when DynamoDB accepts nothing for a minute
 */
export const carryOut = async (options: CarryingOut, counts: Counts): Promise<Redacted> => {
  const refused = new Set<string>();
  for (const rank of ranks) {
    for await (const outcomes of changesOf(rank, refused, options)) {
      for (const outcome of outcomes) {
        if (outcome.result === 'refused') {
          refused.add(nameOf(outcome.change.after));
          options.onRefused(outcome.change, outcome.reason);
        } else if (outcome.result) counts[outcome.result] += 1;
      }
      options.onDone(counts.created + counts.updated);
    }
  }
  return redactRest(options);
};

const changesOf = (
  rank: (typeof ranks)[number],
  refused: ReadonlySet<string>,
  options: CarryingOut,
) => {
  // What is counted takes another write in its transaction.
  const isCounted = Object.values(kinds).some((kind) => kind.rank === rank && kind.counter);
  const size = isCounted && options.isCounting ? batchSize / 2 : batchSize;
  const batches = batched(options.plan.values(rank), size, {
    most: batchBytes,
    of: ({ after }) => Buffer.byteLength(JSON.stringify(after)),
  });
  return inParallel(batches, writers, async (batch): Promise<Outcome[]> => {
    if (options.signal.aborted) return [];
    const redacted = await redactedNow(batch, options.sources);
    const [without, possible] = partition(redacted, ({ after }) => {
      const need = needOf(after);
      return need !== undefined && refused.has(nameOf(need.key));
    });
    const reason = 'What it needs cannot be stored.';
    return [
      ...without.map((change): Outcome => ({ change, result: 'refused', reason })),
      ...(await makeAll(possible, options)),
    ];
  });
};

const partition = <T>(all: readonly T[], isFirst: (each: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((each) => !isFirst(each)),
];

const makeAll = async (
  batch: readonly Change[],
  { isCounting, settle }: CarryingOut,
): Promise<Outcome[]> => {
  const creating = batch.filter(({ before }) => !before);
  const creations = await createAll(
    creating.map(({ after }) => after),
    (item) => (isCounting ? kindOf(item)?.counter?.(item) : undefined),
  );
  const created = creating.map(async (change, index): Promise<Outcome> => {
    const creation = creations[index];
    if (creation?.result !== 'present') return { change, ...(creation ?? { result: undefined }) };
    return { change, result: await settle(change, creation.before) };
  });
  const changing = batch.map(async (change): Promise<Outcome[]> => {
    const { before, after } = change;
    if (!before) return [];
    const isDone = await rewrite(before, after);
    return [{ change, result: isDone ? 'updated' : await settle(change, undefined) }];
  });
  return [...(await Promise.all(created)), ...(await Promise.all(changing)).flat()];
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

/** `redactAll` says why nothing is left. */
const redactRest = async ({ plan, recorded, pause }: CarryingOut): Promise<Redacted> => {
  const ids = new Set(plan.known.map(({ id }) => id));
  const redactions = await recorded();
  const late = redactions.filter(({ id }) => !ids.has(id));
  if (late.length === 0 && totalOf(plan.found) === 0) return { redacted: {}, found: {} };
  // Those of the old table, if the restored one is prepared.
  for await (const batch of batched(late, batchSize)) await createAll(batch);
  return redactAll(redactions, pause);
};
