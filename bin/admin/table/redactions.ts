import { isDeepStrictEqual } from 'node:util';
import type { Author } from '../../../functions/domain/author.ts';
import { maximumRedactedIds, Redaction } from '../../../functions/domain/redaction.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { table } from '../../../functions/store/client.ts';
import { keys } from '../../../functions/store/keys.ts';
import { kindOf, kinds, subjectKey, subjectOf, typesWith } from '../kinds/all.ts';
import type { Item, PersonOption } from '../kinds/kind.ts';
import { redaction } from '../kinds/redaction.ts';
import { readAll } from './bulk.ts';
import { inParallel } from './in-parallel.ts';
import {
  partitionReaders,
  readBeside,
  readPartition,
  scan,
  scanInParallel,
  scanType,
  typeFilter,
  typesFilter,
} from './scan.ts';

/**
 * Returns an item without its personal data, or the same item if no redaction changes it.
 *
 * @param owner names the workspace of the item: itself, unless given
 */
export type Redact = (item: Item, owner?: Item) => Item;

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
  return (item, owner = item) => {
    if (!names.has(nameIn(owner.workspace, subjectOf(item)))) return item;
    const after = kindOf(item)?.redaction?.after(item);
    return after === undefined || isDeepStrictEqual(after, item) ? item : after;
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
  const checked = inParallel(redactions, partitionReaders, async (order): Promise<Item> => {
    const ids = order.ids as readonly string[];
    const found = await Promise.all(tables.map((name) => readAll(ids.map(subjectKey), name)));
    const isForeign = (index: number) =>
      found.some((items) => items[index] && items[index].workspace !== order.workspace);
    return { ...order, ids: ids.filter((_, index) => !isForeign(index)) };
  });
  return (await Array.fromAsync(checked)).filter(({ ids }) => (ids as string[]).length > 0);
};

/** The redactions of a workspace, oldest first. */
export const readRedactions = (workspace: string, from = table()): Promise<Item[]> =>
  readBeside(keys.redaction(workspace, ''), from);

/** The redactions that are in any of these tables. This reads each table once. */
export const redactionsIn = async (names: readonly string[]): Promise<Item[]> => {
  const filter = typeFilter(redaction.type);
  const found = names.map((TableName) => scanInParallel({ TableName, ...filter }));
  const all = (await Promise.all(found)).flat();
  return [...new Map(all.map((item) => [item.id, item])).values()];
};

/** Whether an item has data that are redacted; attempts end by themselves. */
export const isUnredacted = (item: Item, redact: Redact, owner?: Item): boolean =>
  !kindOf(item)?.redaction?.onlyCopies && redact(item, owner) !== item;

/** New redactions of payment requests and offers as items. */
export const redactionItems = (workspace: string, ids: readonly string[], author: Author) =>
  Array.from({ length: Math.ceil(ids.length / maximumRedactedIds) }, (_, index) => {
    const { opaque, created } = newIdentity();
    const id = `rdc_${opaque}`;
    const named = ids.slice(index * maximumRedactedIds, (index + 1) * maximumRedactedIds);
    return {
      ...keys.redaction(workspace, id),
      type: redaction.type,
      ...Redaction.parse({ id, workspace, ids: named, created }),
      author,
    };
  });

/** A person: the worker of payment requests, or the recipient of offers. */
export type Person = Readonly<Partial<Record<PersonOption, string>>>;

/** The payment requests or offers of a workspace that are about a person. */
export async function* subjectsOf(workspace: string, chosen: Person): AsyncGenerator<Item> {
  for (const { type, person } of Object.values(kinds)) {
    const value = person && chosen[person.option];
    if (!value) continue;
    for await (const item of scanType(type, { workspace })) {
      if (person.isAbout(item, value)) yield item;
    }
  }
}

/**
 * Everything that is kept about a person: the payment requests or offers with what belongs to them,
 * the saved answers about them, and the redactions that name them.
 */
export const itemsAbout = async (workspace: string, person: Person): Promise<Item[]> => {
  const subjects = await Array.fromAsync(subjectsOf(workspace, person));
  const ids = new Set(subjects.map(({ id }) => String(id)));
  const places = new Set(subjects.map(({ pk }) => pk));
  const reading = inParallel(subjects, partitionReaders, ({ pk }) => readPartition(String(pk)));
  const partitions = await Array.fromAsync(reading);
  const redactions = await readRedactions(workspace);
  const apart: Item[] = [];
  const types = typesWith('subject');
  for await (const item of scan(typesFilter(types, '#workspace = :workspace', { workspace }))) {
    if (ids.has(subjectOf(item)) && !places.has(item.pk)) apart.push(item);
  }
  return [
    ...partitions.flat(),
    ...redactions.filter((redaction) => (redaction.ids as string[]).some((id) => ids.has(id))),
    ...apart,
  ];
};
