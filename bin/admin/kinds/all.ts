import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { Act, Author } from '../../../functions/domain/author.ts';
import { account } from './account.ts';
import { act } from './act.ts';
import { approval } from './approval.ts';
import { claim } from './claim.ts';
import { delivery } from './delivery.ts';
import {
  acted,
  type Item,
  type Key,
  type Kind,
  keyOf,
  type Need,
  type TrailEntry,
} from './kind.ts';
import { manager } from './manager.ts';
import { offer } from './offer.ts';
import { paymentRequest } from './payment-request.ts';
import { redaction } from './redaction.ts';
import { sandbox } from './sandbox.ts';
import { token } from './token.ts';
import { workspace } from './workspace.ts';

// Without a language, zod/mini explains nothing: the functions leave it out to start faster.
z.config(z.locales.en());

const all: readonly Kind[] = [
  ...[account, workspace, manager, token, sandbox, paymentRequest, approval],
  ...[offer, delivery, act, redaction, claim],
];

/** Everything in the table but Powertools' records of requests in progress, by type. */
export const kinds: Record<string, Kind> = Object.fromEntries(all.map((kind) => [kind.type, kind]));

/** The kind of an item, if its type is known. */
export const kindOf = ({ type }: Item): Kind | undefined => kinds[String(type)];

/** The types of the kinds that have a member. */
export const typesWith = (member: keyof Kind): string[] =>
  Object.values(kinds)
    .filter((kind) => kind[member] !== undefined)
    .map(({ type }) => type);

/** The members of a record of a kind: every item names its author, except an anonymous one. */
export const recordShape = ({ type, shape, isAnonymous }: Kind): z.core.$ZodShape => ({
  type: z.literal(type),
  ...(!isAnonymous && { author: Author }),
  ...shape,
});

/**
 * A line of an export: the item without its key, which follows from the other members, and without
 * its import into this table.
 */
export const recordLine = (item: Item): Item => {
  const { pk: _, sk: __, imported: ___, ...fields } = item;
  return { ...fields, ...kindOf(item)?.keyMembers?.(keyOf(item)) };
};

/** What is wrong with a stored item; undefined if nothing is, or if its type is unknown. */
export const shapeFaultOf = (item: Item): string | undefined => {
  const { error } = z.safeParse(
    z.object({
      author: z.optional(Author),
      imported: z.optional(Act),
      ...kindOf(item)?.shape,
    }),
    { ...recordLine(item), imported: item.imported },
  );
  return error ? z.prettifyError(error).replaceAll(/\s+/g, ' ') : unreadableResult(item);
};

/** Whether an item, of a type with first statuses, still has one of them. */
export const isBeginning = (item: Item): boolean =>
  kindOf(item)?.beginnings?.includes(String(item.status)) ?? false;

/** What an item needs, if anything, and if that can be known. */
export const needOf = (item: Item): Need | undefined => {
  try {
    return kindOf(item)?.need?.(item);
  } catch {
    return undefined;
  }
};

/** Why it cannot be known what an item needs; undefined when it can. */
export const unreadableResult = (item: Item): string | undefined => {
  try {
    kindOf(item)?.need?.(item);
    return undefined;
  } catch {
    // It is not JSON, or not an answer of its operation.
    return 'The result of the claim cannot be read.';
  }
};

/** When it is written among others: after what it needs. */
export const rankOf = (item: Item): number => kindOf(item)?.rank ?? 0;

/** What `verify` looks for in items of one kind, by code. */
export const invariantsOfKinds = (): Record<string, string> =>
  Object.assign({}, ...Object.values(kinds).map(({ invariants }) => invariants));

/** The kind that redactions name by such an id. */
export const subjectKind = (id: string): Kind | undefined =>
  Object.values(kinds).find(
    ({ isSubject, shape }) => isSubject && shape.id && z.safeParse(shape.id, id).success,
  );

/** Where a payment request or an offer is. */
export const subjectKey = (id: string): Key => {
  const kind = subjectKind(id);
  if (!kind) throw new Error(`No redaction can name ${id}.`);
  return kind.key({ id });
};

/** The payment request or offer that an item is, or belongs to. */
export const subjectOf = (item: Item): string => kindOf(item)?.subject?.(item) ?? '';

/**
 * An item as a restore brings it back. Every item that it writes with data of another table, or
 * keeps in a table that was lost, goes through here.
 *
 * The member `imported` says who brought it back. Its `restored` is the time of the state that was
 * brought back: by it `publish-events` recognises that this state is no news.
 *
 * @param now what stands in its place; what it says of a revocation is known
 */
export const restoredItem = (item: Item, by: Act, now?: Item): Item => {
  const members = { ...item, ...kindOf(item)?.restored?.(item, by, now) };
  const restored = members.updated ?? members.created;
  const entries = Object.entries({ ...members, imported: { ...by, restored } });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
};

/** What is made together with a restored item that may have left its first status meanwhile. */
export const companionsOf = (item: Item, by: Act): Item[] =>
  (kindOf(item)?.companions?.(item) ?? []).map((each) => restoredItem(each, by));

/** What an item shares with all that is made together with it. */
export const opaqueOf = (item: Item): string => opaqueIn(namesakeOf(item));

const namesakeOf = (item: Item): string => String(kindOf(item)?.namesake?.(item) ?? item.id);
const opaqueIn = (id: string) => String(id.split('_').at(-1));

/** Whether an item is one that a sandbox comes with. All of them have its opaque part. */
export const isCompanion = (item: Item): boolean => {
  const own = namesakeOf(item);
  const owner = String(item.workspace ?? own);
  return /^\w+_test_/.test(owner) && opaqueIn(own) === opaqueIn(owner);
};

/** Whether two items are in the same state, however they came into their tables. */
export const isSame = (one: Item, other: Item): boolean =>
  isDeepStrictEqual(stateOf(one), stateOf(other));

/** The table does not store members that are undefined. */
const stateOf = ({ imported: _, ...item }: Item): Item =>
  Object.fromEntries(Object.entries(item).filter(([, value]) => value !== undefined));

/** The history of items, in order of time. */
export const entriesOf = (items: readonly Item[]): TrailEntry[] =>
  items
    .flatMap((item) => [...(kindOf(item)?.trail?.(item) ?? []), ...importOf(item)])
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));

const importOf = (item: Item): TrailEntry[] => {
  if (!item.imported || !kindOf(item)?.trail) return [];
  return acted(item, 'restored' in (item.imported as Act) ? 'restored' : 'imported', item.imported);
};
