import * as z from 'zod/mini';
import type { Act } from '../../../functions/domain/author.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { faultsOf, inBody } from '../../../functions/http/faults.ts';
import { kinds, recordShape, unreadableResult } from '../kinds/all.ts';
import type { Item, Kind } from '../kinds/kind.ts';

/** A line of a file as an item. */
export interface Entry {
  readonly item: Item;
  /** The members of the line that never change. An item that has other values is another thing. */
  readonly constant: Item;
}

/** Makes an entry of a line, or returns everything that is wrong with it. */
export interface EntryReader {
  readonly read: (value: unknown) => Entry | Fault[];
  /** The columns of CSV, where such lines may come as CSV. */
  readonly columns?: readonly Column[];
}

/** Reads a line of an export. The item keeps its author, and gets who imported it. */
export const recordReader = (imported: Act): EntryReader => {
  const readers = new Map(
    Object.values(kinds).map((kind) => [kind.type, readerOf(kind, imported)]),
  );
  return {
    read: (value) => {
      const type = (value as { type?: unknown } | null)?.type;
      const entry = typeof type === 'string' ? readers.get(type)?.read(value) : undefined;
      if (!entry) {
        const detail = `Must be one of ${Object.keys(kinds).join(', ')}.`;
        return [{ pointer: '/type', code: 'invalid_value', detail }];
      }
      const detail = 'item' in entry && unreadableResult(entry.item);
      return detail ? [{ pointer: '/result', code: 'unreadable', detail }] : entry;
    },
  };
};

const readerOf = (kind: Kind, imported: Act): EntryReader => {
  const ofKey = Object.keys(kind.keyMembers?.({ pk: '', sk: '' }) ?? {});
  const toItem = (record: Item): Item => {
    const stored = Object.entries(kind.imported?.(record) ?? record);
    const members = stored.filter(([name]) => !ofKey.includes(name));
    return { ...kind.key(record), ...Object.fromEntries(members), imported };
  };
  const variable = [...(kind.changing ?? []), ...(kind.counted ?? [])];
  return entryReader(z.strictObject(recordShape(kind)), toItem, variable);
};

/**
 * @param toItem the item of a valid line
 * @param changing the members that the service may have changed since
 */
export const entryReader = <Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape, z.core.$strict>,
  toItem: (value: z.core.output<typeof schema>) => Item,
  changing: readonly string[],
): Required<EntryReader> => {
  const strictSchema = strict(schema);
  return {
    columns: columnsOf(schema.shape),
    read: (input) => {
      const { data, error } = z.safeParse(strictSchema, input);
      if (error) return faultsOf(error, input, inBody);
      const item = toItem(data);
      const said = ['workspace', ...Object.keys(input as object)];
      const names = said.filter((name) => name in item && !changing.includes(name));
      return { item, constant: Object.fromEntries(names.map((name) => [name, item[name]])) };
    },
  };
};

/**
 * The schema, with objects that reject unknown members at every depth. Stored items are read with
 * schemas that drop them, so that a later release may add some.
 */
const strict = <Schema extends z.core.$ZodType>(schema: Schema): Schema => {
  const { type, shape, innerType } = schema._zod.def as SchemaDefinition;
  const changed = {
    ...(innerType && { innerType: strict(innerType) }),
    ...(type === 'object' && {
      shape: Object.fromEntries(
        Object.entries(shape).map(([name, field]) => [name, strict(field)]),
      ),
      catchall: z.never(),
    }),
  };
  return z.core.clone(schema, z.core.util.mergeDefs(schema._zod.def, changed));
};

/** A column of a CSV file: a member of a line, or a member of a member as in `period.starts`. */
export interface Column {
  readonly name: string;
  readonly required: boolean;
  /** Whether its cells hold JSON instead of text. */
  readonly json: boolean;
}

/** The columns in which CSV holds what a schema describes. */
const columnsOf = (shape: z.core.$ZodShape): Column[] =>
  Object.entries(shape).flatMap(([name, field]) => {
    const def = field._zod.def as SchemaDefinition;
    if (def.type === 'object') {
      return columnsOf(def.shape).map((column) => ({ ...column, name: `${name}.${column.name}` }));
    }
    return [{ name, required: !z.safeParse(field, undefined).success, json: !isText(def) }];
  });

interface SchemaDefinition {
  readonly type: string;
  readonly shape: z.core.$ZodShape;
  /** The schema inside an optional, a nullable or a default. */
  readonly innerType?: z.core.$ZodType;
}

const isText = ({ type, innerType }: SchemaDefinition): boolean =>
  innerType ? isText(innerType._zod.def as SchemaDefinition) : type === 'string' || type === 'enum';
