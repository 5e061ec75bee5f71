import { isDeepStrictEqual } from 'node:util';
import type { Author } from '../../../functions/domain/author.ts';
import { maximumRedactedIds, Redaction } from '../../../functions/domain/redaction.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { table } from '../../../functions/store/client.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readAll } from './bulk.ts';
import { inParallel } from './in-parallel.ts';
import { unreadableResult } from './needs.ts';
import {
  type Item,
  type Key,
  partitionReaders,
  readBeside,
  readPartition,
  scanInParallel,
  scanType,
  typeFilter,
} from './scan.ts';
import { isBeginning } from './statuses.ts';

/** An address that the schema of an offer accepts and nobody has (RFC 2606, section 2). */
export const redactedAddress = 'redacted@redacted.invalid';

/** Returns an item without its personal data, or the same item if no redaction changes it. */
export type Redact = (item: Item) => Item;

/**
 * Applies redactions to items of every type. An item that they do not name stays as it is.
 *
 * @param redactions of an approval's payment request only those of its workspace: an approval names
 * none (`ownRedactions`)
 */
export const redactor = (redactions: readonly Item[]): Redact => {
  const names = new Set(
    redactions.flatMap((item) => {
      const { ids, workspace } = Redaction.parse(item);
      return ids.flatMap((id) => [nameIn(workspace, id), nameIn(undefined, id)]);
    }),
  );
  return (item) => {
    if (!names.has(nameIn(item.workspace, subjectOf(item)))) return item;
    const after = redacted(item);
    return isDeepStrictEqual(after, item) ? item : after;
  };
};

const nameIn = (workspace: unknown, id: string) => `${workspace ?? ''} ${id}`;

/**
 * Redactions without the payment requests and offers that these tables have in another workspace.
 * What no table has stays named: whose it was is unknown.
 */
export const ownRedactions = async (
  redactions: readonly Item[],
  tables: readonly string[] = [table()],
): Promise<Item[]> => {
  const checked = inParallel(redactions, partitionReaders, async (redaction): Promise<Item> => {
    const ids = redaction.ids as readonly string[];
    const found = await Promise.all(tables.map((name) => readAll(ids.map(subjectKey), name)));
    const isForeign = (index: number) =>
      found.some((items) => items[index] && items[index].workspace !== redaction.workspace);
    return { ...redaction, ids: ids.filter((_, index) => !isForeign(index)) };
  });
  return (await Array.fromAsync(checked)).filter(({ ids }) => (ids as string[]).length > 0);
};

/** The payment request or offer that an item is, or belongs to. */
export const subjectOf = (item: Item): string => {
  switch (item.type) {
    case 'APPROVAL':
      return String(item.payment_request);
    case 'DELIVERY':
      return String(item.offer);
    case 'CLAIM':
      return unreadableResult(item) ? '' : String(JSON.parse(String(item.result))?.id);
    default:
      return String(item.id);
  }
};

/** Where a payment request or an offer is. */
export const subjectKey = (id: string): Key =>
  id.startsWith('ofr_') ? keys.offer(id) : keys.paymentRequest(id);

const redacted = (item: Item): Item => {
  const { reason: _, lease_ends: __, ...rest } = item;
  switch (item.type) {
    case 'APPROVAL':
      return rest;
    case 'OFFER': {
      const status = ['draft', 'sent'].includes(String(item.status)) ? 'voided' : item.status;
      return { ...withoutData(item), status };
    }
    case 'PAYMENT_REQUEST':
      return withoutData(item);
    case 'DELIVERY':
      // Nothing may be mailed to the address that the offer has now.
      return isBeginning(item) ? { ...rest, status: 'failed', reason: 'redacted' } : item;
    case 'CLAIM':
      return { ...item, result: JSON.stringify(withoutData(JSON.parse(String(item.result)))) };
    default:
      return item;
  }
};

/** A payment request or an offer, as stored or as answered; its members keep their order. */
const withoutData = (object: Item): Item =>
  'recipient_email' in object
    ? { ...object, recipient_email: redactedAddress }
    : { ...object, reference: 'redacted', note: '', documents: [], payment: object.payment && {} };

/** The redactions of a workspace, oldest first. */
export const readRedactions = (workspace: string, from = table()): Promise<Item[]> =>
  readBeside(keys.redaction(workspace, ''), from);

/** The redactions that are in any of these tables. This reads each table once. */
export const redactionsIn = async (names: readonly string[]): Promise<Item[]> => {
  const found = names.map((TableName) => scanInParallel({ TableName, ...typeFilter('REDACTION') }));
  const all = (await Promise.all(found)).flat();
  return [...new Map(all.map((item) => [item.id, item])).values()];
};

/**
 * What redacts items of workspaces at this moment.
 *
 * @param workspaces undefined ones do not count
 * @param read returns the redactions that are recorded for a workspace
 * @returns a function of an item and its workspace, since an approval names none
 */
export const redactorNow = async (
  workspaces: readonly unknown[],
  read: (workspace: string) => Promise<readonly Item[]>,
): Promise<(item: Item, workspace: unknown) => Item> => {
  const names = [...new Set(workspaces.flatMap((name) => (name ? [String(name)] : [])))];
  const reading = names.map(async (name) => [name, redactor(await read(name))] as const);
  const redactors = new Map(await Promise.all(reading));
  return (item, workspace) => redactors.get(String(workspace))?.(item) ?? item;
};

/** Whether an item has data that are redacted; attempts end by themselves. */
export const isUnredacted = (item: Item, redact: Redact): boolean =>
  item.type !== 'DELIVERY' && redact(item) !== item;

/** New redactions of payment requests and offers as items. */
export const redactionItems = (workspace: string, ids: readonly string[], author: Author) =>
  Array.from({ length: Math.ceil(ids.length / maximumRedactedIds) }, (_, index) => {
    const { opaque, created } = newIdentity();
    const id = `rdc_${opaque}`;
    const named = ids.slice(index * maximumRedactedIds, (index + 1) * maximumRedactedIds);
    return {
      ...keys.redaction(workspace, id),
      type: 'REDACTION',
      ...Redaction.parse({ id, workspace, ids: named, created }),
      author,
    };
  });

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
