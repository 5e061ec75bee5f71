import { batchSize, readAll } from './bulk.ts';
import { batched, inParallel } from './in-parallel.ts';
import { readRedactions, subjectKey, subjectOf } from './redactions.ts';
import { type Item, partitionReaders, readPartition, scanType } from './scan.ts';

/** A person: the worker of payment requests, or the recipient of offers. */
export interface Person {
  readonly worker?: string;
  readonly recipient?: string;
}

/** The payment requests or offers of a workspace that are about a person. */
export async function* subjectsOf(
  workspace: string,
  { worker, recipient }: Person,
): AsyncGenerator<Item> {
  if (worker) yield* scanType('PAYMENT_REQUEST', { workspace, worker });
  if (!recipient) return;
  for await (const offer of scanType('OFFER', { workspace })) {
    // No provider distinguishes the case of an address, and the table keeps the one it was given.
    if (String(offer.recipient_email).toLowerCase() === recipient.toLowerCase()) yield offer;
  }
}

/** The payment requests and offers with these ids, undefined where there is none. */
export const subjectsWithIds = async (ids: readonly string[]): Promise<(Item | undefined)[]> => {
  const found: (Item | undefined)[] = [];
  for await (const batch of batched(ids, batchSize)) {
    found.push(...(await readAll(batch.map(subjectKey))));
  }
  return found;
};

/**
 * Everything that is kept about a person: the payment requests or offers with what belongs to them,
 * the saved answers about them, and the redactions that name them.
 */
export const itemsAbout = async (workspace: string, person: Person): Promise<Item[]> => {
  const subjects = await Array.fromAsync(subjectsOf(workspace, person));
  const ids = new Set(subjects.map(({ id }) => String(id)));
  const reading = inParallel(subjects, partitionReaders, ({ pk }) => readPartition(String(pk)));
  const partitions = await Array.fromAsync(reading);
  const redactions = await readRedactions(workspace);
  const answers: Item[] = [];
  for await (const claim of scanType('CLAIM', { workspace })) {
    if (ids.has(subjectOf(claim))) answers.push(claim);
  }
  return [
    ...partitions.flat(),
    ...redactions.filter((redaction) => (redaction.ids as string[]).some((id) => ids.has(id))),
    ...answers,
  ];
};
