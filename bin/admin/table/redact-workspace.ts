import { isBeginning, kindOf, kinds, subjectKey, subjectKind, typesWith } from '../kinds/all.ts';
import type { Item } from '../kinds/kind.ts';
import { rewrite } from './bulk.ts';
import { inParallel } from './in-parallel.ts';
import { ownRedactions, type Redact, redactor } from './redactions.ts';
import { partitionReaders, readPartition, scan, typesFilter } from './scan.ts';
import { addTo, type Tally } from './tally.ts';

/**
 * Longer than a request takes: API Gateway waits for 29 seconds, and a function runs for 10. An
 * approve that began before its payment request was redacted may save an answer until then.
 */
export const longestRequestMs = 30_000;

/**
 * Redacts everything in the table that redactions name. Each write requires that what it changes is
 * as it was read, and none needs a later one: after a crash, running it again goes on.
 *
 * 1. Payment requests and approvals, and offers become `voided`. From now on no request reads the
 *    data, and no attempt is added to an offer.
 * 2. A pause, until requests have ended that read the data before: an approve of an approved
 *    payment request has no condition on it, and saves the answer that it has read. A resend needs
 *    the offer to be sent still, so offers alone need no pause.
 * 3. Saved answers, and the addresses of offers of which no attempt waits to be mailed.
 *
 * @param pause waits for `longestRequestMs`
 * @param onItem is called for each item that is read in step 3
 * @returns how many items were redacted
 */
export const redactWorkspace = async (
  redactions: readonly Item[],
  pause: () => Promise<unknown>,
  onItem?: () => void,
): Promise<Tally> => {
  const own = await ownRedactions(redactions);
  const redact = redactor(own);
  const done: Tally = {};
  const write = async (before: Item, after: Item) => {
    if (await rewrite(before, after)) addTo(done, before.type);
  };
  const subjects = own.flatMap(({ ids }) => ids as string[]);
  await all(subjects, async (id) => {
    for (const item of await readPartition(subjectKey(id).pk)) {
      const after = redact(item);
      const { first, onlyCopies } = kindOf(item)?.redaction ?? {};
      if (first) await rewrite(item, first(item, after));
      else if (after !== item && !onlyCopies) await write(item, after);
    }
  });
  if (subjects.some((id) => subjectKind(id)?.redaction?.isRead)) await pause();
  await all(unredacted(redact, onItem), async ([before, after]) => {
    const isReady = kindOf(before)?.redaction?.isReady;
    if (!isReady || isReady(before, await readPartition(String(before.pk)))) {
      await write(before, after);
    }
  });
  return done;
};

/**
 * Searches the whole table for what redactions name and is not redacted.
 *
 * @param onItem is called for each item that is read
 * @returns with the attempts that are still to be mailed to the address of an offer that was found
 */
export const surveyRedactions = async (redactions: readonly Item[], onItem?: () => void) => {
  const found: Tally = {};
  const waiting: Item[] = [];
  const redact = redactor(await ownRedactions(redactions));
  for await (const [item] of unredacted(redact, onItem)) {
    addTo(found, item.type);
    if (!kindOf(item)?.redaction?.isReady) continue;
    const partition = await readPartition(String(item.pk));
    waiting.push(...partition.filter((each) => each.type !== item.type && isBeginning(each)));
  }
  return { found, waiting };
};

/** What a run has redacted, and what it has found that is still to be redacted, by type. */
export interface Redacted {
  readonly redacted: Tally;
  readonly found: Tally;
}

/**
 * Redacts everything in the table that redactions name, and looks whether anything is left.
 *
 * An import and a restore end with it, because they write what was read earlier, maybe before its
 * redaction. They redact each batch by what is recorded when it is written. Still a redaction may
 * be recorded between this read and the write, and its own scans may pass before the write. So when
 * all is written, the run reads the redactions again. All of these reads are consistent: if the run
 * does not find the redaction, that was recorded after the last write, and its scans find the item.
 * If the run finds it, it redacts the item here. The pause is needed again, because a request may
 * have read the item in between.
 *
 * A run that was killed has not read them again. Its repetition finds the item in the table.
 */
export const redactAll = async (
  redactions: readonly Item[],
  pause: () => Promise<unknown>,
): Promise<Redacted> => ({
  redacted: await redactWorkspace(redactions, pause),
  found: (await surveyRedactions(redactions)).found,
});

/** Each item that is not redacted, as it is and as it is to be; attempts end by themselves. */
async function* unredacted(
  redact: Redact,
  onItem = () => {},
): AsyncGenerator<readonly [Item, Item]> {
  const types = typesWith('redaction').filter((type) => !kinds[type]?.redaction?.onlyCopies);
  for await (const item of scan(typesFilter(types))) {
    onItem();
    const after = redact(item);
    if (after !== item) yield [item, after];
  }
}

const all = async <T>(source: AsyncIterable<T> | Iterable<T>, work: (each: T) => Promise<void>) => {
  for await (const _ of inParallel(source, partitionReaders, work));
};
