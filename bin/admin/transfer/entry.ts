import * as z from 'zod/mini';
import type { Fault } from '../../../functions/domain/problem.ts';
import { faultsOf, inBody } from '../../../functions/http/faults.ts';
import type { Need } from '../table/needs.ts';
import type { Item } from '../table/scan.ts';

// Without a language, zod/mini explains nothing: the functions leave it out to start faster.
z.config(z.locales.en());

/** A line of a file as an item. */
export interface Entry {
  readonly item: Item;
  /** The members of the line that never change. An item that has other values is another thing. */
  readonly constant: Item;
  readonly need?: Need | undefined;
  /** It is settled after the lines of lower ranks; 0 unless given. */
  readonly rank?: number;
  /**
   * The members that the existing item takes over if it still has its first status and the line has
   * a later one. No item returns to its first status, so the table has the older state.
   */
  readonly advancing?: readonly string[];
}

/** The fault of a line whose item is not stored. */
export const refused = (reason: string): Fault => ({
  pointer: '',
  code: 'refused',
  detail: `Cannot be stored: ${reason}`,
});

/** Makes an entry of a line, or returns everything that is wrong with it. */
export interface EntryReader {
  readonly read: (value: unknown) => Entry | Fault[];
  /** The columns of CSV, where such lines may come as CSV. */
  readonly columns?: readonly Column[];
}

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
