import { counted } from '../terminal/progress.ts';
import { addTo, type Tally } from '../terminal/tally.ts';
import { rewrite } from './bulk.ts';
import { inParallel } from './in-parallel.ts';
import { ownRedactions, type Redact, redactor, subjectKey } from './redactions.ts';
import { filterBy, type Item, partitionReaders, readPartition, scan } from './scan.ts';
import { isBeginning } from './statuses.ts';

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
 * @returns how many items were redacted
 */
export const redactWorkspace = async (
  redactions: readonly Item[],
  pause: () => Promise<unknown>,
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
      if (item.type === 'OFFER') await rewrite(item, { ...item, status: after.status });
      else if (item.type !== 'DELIVERY' && after !== item) await write(item, after);
    }
  });
  if (subjects.some((id) => id.startsWith('ptr_'))) await pause();
  await all(unredacted(redact), async ([before, after]) => {
    // One that has become a draft or sent meanwhile would get attempts to its new address.
    const isReady = before.type !== 'OFFER' || before.status === after.status;
    if (isReady && (await waitingAttempts(before)).length === 0) await write(before, after);
  });
  return done;
};

/**
 * Searches the whole table for what redactions name and is not redacted.
 *
 * @returns with the attempts that are still to be mailed to the address of an offer that was found
 */
export const surveyRedactions = async (redactions: readonly Item[]) => {
  const found: Tally = {};
  const waiting: Item[] = [];
  for await (const [item] of unredacted(redactor(await ownRedactions(redactions)))) {
    addTo(found, item.type);
    waiting.push(...(await waitingAttempts(item)));
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
async function* unredacted(redact: Redact): AsyncGenerator<readonly [Item, Item]> {
  const types = {
    request: 'PAYMENT_REQUEST',
    approval: 'APPROVAL',
    offer: 'OFFER',
    claim: 'CLAIM',
  };
  const items = scan(filterBy('#type IN (:request, :approval, :offer, :claim)', types));
  for await (const item of counted('items', items)) {
    const after = redact(item);
    if (after !== item) yield [item, after];
  }
}

/** The attempts of an offer that are queued or being sent. */
const waitingAttempts = async ({ type, pk }: Item): Promise<Item[]> =>
  type === 'OFFER'
    ? (await readPartition(String(pk))).filter(
        (item) => item.type === 'DELIVERY' && isBeginning(item),
      )
    : [];

const all = async <T>(source: AsyncIterable<T> | Iterable<T>, work: (each: T) => Promise<void>) => {
  for await (const _ of inParallel(source, partitionReaders, work));
};
