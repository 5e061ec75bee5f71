import * as z from 'zod/mini';
import type { Act } from '../../../functions/domain/author.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { authored, kinds } from '../table/kinds.ts';
import { needOf, rankOf, unreadableResult } from '../table/needs.ts';
import type { Item } from '../table/scan.ts';
import { type Entry, type EntryReader, entryReader } from './entry.ts';

/** Reads a line of an export. The item keeps its author, and gets who imported it. */
export const recordReader = (imported: Act): EntryReader => {
  const readers = new Map(
    Object.entries(kinds).map(
      ([type, { shape, key, changing = [], imported: made = (record: Item) => record }]) => {
        const schema = z.strictObject({ type: z.literal(type), ...authored(type), ...shape });
        const toItem = (record: Item) => {
          const { hash: _, ...fields } = made(record);
          return { ...key(record), ...fields, imported };
        };
        return [type, entryReader(schema, toItem, changing)];
      },
    ),
  );
  return {
    read: (value) => {
      const type = (value as { type?: unknown } | null)?.type;
      const entry = typeof type === 'string' ? readers.get(type)?.read(value) : undefined;
      if (entry) return Array.isArray(entry) ? entry : withNeed(entry);
      const detail = `Must be one of ${Object.keys(kinds).join(', ')}.`;
      return [{ pointer: '/type', code: 'invalid_value', detail }];
    },
  };
};

/**
 * An entry with what it needs, and with what goes on with it where the item in its place has not
 * begun.
 */
const withNeed = (entry: Entry): Entry | Fault[] => {
  const { item } = entry;
  const detail = unreadableResult(item);
  if (detail) return [{ pointer: '/result', code: 'unreadable', detail }];
  const changing = kinds[String(item.type)]?.changing?.filter((name) => name !== 'attempts') ?? [];
  const need = needOf(item);
  return { ...entry, need, rank: rankOf(item), advancing: [...changing, 'imported'] };
};
