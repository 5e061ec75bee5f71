import type * as z from 'zod/mini';
import type { Act, Author } from '../../../functions/domain/author.ts';

/** An item of the table, unparsed. */
export type Item = Record<string, unknown>;
/** The primary key of an item. */
export type Key = { readonly pk: string; readonly sk: string };

/** Everything that the commands ask of a type of item. */
export interface Kind extends Stored, Imported, Restored, Redacted, Listed, Verified {
  /** The item's `type`. */
  readonly type: string;
  /** What operators call one. */
  readonly noun: string;
}

/** How items lie in the table, and in the lines of an export. */
interface Stored {
  /** Its members besides `type`, `author` and `imported`. */
  readonly shape: z.core.$ZodShape;
  /** The key that the members of its record give. */
  readonly key: (record: Item) => Key;
  /** The members of its record that only its key has. */
  readonly keyMembers?: (key: Key) => Item;
  /** It names no author: its effect does. */
  readonly isAnonymous?: true;
  /** An export has it only with `--tokens`. */
  readonly isSecret?: true;
  /** It is stored in the partition of another item, and has no member that names it. */
  readonly isAside?: true;
}

/** How an import writes items, and what it changes in those that are there. */
interface Imported {
  /** Items of a lower rank are written first: an item needs none of its own rank. */
  readonly rank?: (typeof ranks)[number];
  /** @throws when its members do not say what it needs */
  readonly need?: (item: Item) => Need | undefined;
  /** The item whose `attempts` counts it. */
  readonly counter?: (item: Item) => Key;
  /** The members that its other items change: no line of an import does. */
  readonly counted?: readonly string[];
  /** The members that the service changes. */
  readonly changing?: readonly string[];
  /** The statuses in which it begins, and to which it never returns. */
  readonly beginnings?: readonly string[];
  /** The item that an import stores in place of the line's. */
  readonly imported?: (record: Item) => Item;
  /** The item with what is later in the same item of another table, whatever their statuses. */
  readonly later?: (item: Item, other: Item) => Item;
}

/** How a restore brings items back, or reports that they are lost. */
interface Restored {
  /** The members with which a restore brings it back. `now` is the item in the table in service. */
  readonly restored?: (item: Item, by: Act, now: Item | undefined) => Item;
  /** What is made together with it when it leaves its first status. */
  readonly companions?: (item: Item) => Item[];
  /** The identifier whose opaque part it shares with what is made together with it; else its id. */
  readonly namesake?: (item: Item) => unknown;
  /** A table that goes into service takes it from the one that was in service. */
  readonly isCarried?: true;
  /** A client's request makes it; with a key, together with a claim. */
  readonly isEffect?: true;
  /** What its client can do when it is lost. */
  readonly lost?: (item: Item) => string;
}

/** How redactions find items, and change them. */
interface Redacted {
  /** The id of the payment request or offer that it is, or belongs to. */
  readonly subject?: (item: Item) => string;
  /** Redactions name it by its id. */
  readonly isSubject?: true;
  readonly redaction?: Redaction;
  /** The option that chooses a person, and whether the item is about that person. */
  readonly person?: {
    readonly option: PersonOption;
    readonly isAbout: (item: Item, value: string) => boolean;
  };
}

/** What `trail` lists, and what `events publish` publishes again. */
interface Listed {
  /** Its history. */
  readonly trail?: (item: Item) => TrailEntry[];
  /** The members besides `author` and `imported` that are acts. */
  readonly acts?: readonly string[];
  /** Its states that were published, each with its time as `updated`, or else as `created`. */
  readonly published?: (item: Item) => Item[];
}

/** What `verify` finds, and what a restore repairs. */
interface Verified {
  /** What `verify` looks for, by code. */
  readonly invariants?: Readonly<Record<string, string>>;
  /** What is wrong with it beside the other items of its partition. */
  readonly inspect?: (item: Item, partition: readonly Item[], now: Date) => Violation[];
  /** What no item of another holder may have. */
  readonly exclusive?: (item: Item) => Exclusive;
  /** By code: what a restore makes of an item with that violation. */
  readonly repairs?: Readonly<Record<string, Repair>>;
}

/** Something that items of one holder may have. */
export interface Exclusive {
  readonly name: string;
  readonly holder: string;
  /** What `verify` reports if items of two holders have it. */
  readonly code: string;
}

/** How redactions change an item. */
export interface Redaction {
  readonly after: (item: Item) => Item;
  /** What is written of it before requests in progress have ended, if that is not all. */
  readonly first?: (item: Item, after: Item) => Item;
  /** Whether the rest may be written. */
  readonly isReady?: (item: Item, partition: readonly Item[]) => boolean;
  /** Requests in progress may save what they have read of it. */
  readonly isRead?: true;
  /** It ends by itself: only a copy that is imported or restored is redacted. */
  readonly onlyCopies?: true;
  /** It cannot be redacted while this is so. */
  readonly isOpen?: (item: Item) => boolean;
}

/** The options that choose a person. */
export type PersonOption = 'worker' | 'recipient';

/** Returns the item as it is to be, beside the items of its partition, which were read later. */
export type Repair = (item: Item, partition: readonly Item[]) => Item;

/** An item that another one requires. */
export interface Need {
  readonly key: Key;
  /** The member that names it. */
  readonly member: string;
  readonly what: string;
  /** Whether it must have left its first status. */
  readonly begun?: boolean;
  /** The item that names its workspace, if it names none itself. */
  readonly owner?: Key;
  /** What `verify` reports without it. */
  readonly code: string;
  readonly detail: string;
}

/** A state of the table that is impossible, or has lasted too long. */
export interface Violation {
  /** One of `invariants`. */
  readonly code: string;
  /** The item that it was found on. */
  readonly pk: string;
  readonly sk: string;
  readonly detail: string;
}

/** An event in the history of an item: a request, or its result. */
export interface TrailEntry {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly what: string;
  /** The item that it happened to. */
  readonly id: string;
  /** None where the service itself continued the work of a request. */
  readonly actor?: string | undefined;
  readonly request?: string | undefined;
  readonly reason?: unknown;
  readonly details: Readonly<Record<string, unknown>>;
}

export const ranks = [0, 1, 2] as const;

/** Where an item is. */
export const keyOf = ({ pk, sk }: Item): Key => ({ pk: String(pk), sk: String(sk) });

/** Names the place of an item. */
export const nameOf = ({ pk, sk }: Item) => `${pk} ${sk}`;

/** A violation by an item. */
export const violation = (code: string, item: Item, detail: string): Violation => ({
  code,
  ...keyOf(item),
  detail,
});

/**
 * The violation of an item that has waited for too long in a status, which it reached at a time.
 */
export const overdue = (
  code: string,
  item: Item,
  reached: unknown,
  limitMs: number,
  now: Date,
): Violation[] => {
  const { id, status, imported } = item;
  // An imported item has waited in this table since its import.
  const since = [String(reached), (imported as Act | undefined)?.at ?? ''].sort().at(-1) ?? '';
  if (now.getTime() - Date.parse(since) <= limitMs) return [];
  const advice =
    status === 'sending'
      ? '`dead-letters list --queue delivery` may have its message.'
      : '`outbox relay` sends its message again.';
  return [violation(code, item, `${id} has been ${status} since ${since}: ${advice}`)];
};

/** The entry of the trail about the making of an item. */
export const made = (item: Item, what: string, details: TrailEntry['details'] = {}): TrailEntry => {
  // Not validated: the history matters most for an author that was tampered with.
  const { actor, request } = (item.author ?? {}) as Partial<Author>;
  return { time: String(item.created), what, id: String(item.id), actor, request, details };
};

/** The entry about the last change of an item. */
export const changed = ({ updated, id }: Item, what: string, details: TrailEntry['details']) => ({
  time: String(updated),
  what,
  id: String(id),
  details,
});

/** The entry about what was done to an item later, if it was. */
export const acted = (
  { id }: Item,
  what: string,
  act: unknown,
  details: TrailEntry['details'] = {},
): TrailEntry[] => {
  if (!act) return [];
  const { at, actor, request } = act as Act;
  return [{ time: at, what, id: String(id), actor, request, details }];
};
