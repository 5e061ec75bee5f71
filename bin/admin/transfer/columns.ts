import * as z from 'zod/mini';

/** A column of a CSV file: a member of a line, or a member of a member as in `period.starts`. */
export interface Column {
  readonly name: string;
  readonly required: boolean;
  /** Whether its cells hold JSON instead of text. */
  readonly json: boolean;
}

/** The columns in which CSV holds what a schema describes. */
export const columnsOf = (shape: z.core.$ZodShape): Column[] =>
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
  readonly innerType?: { readonly _zod: { readonly def: SchemaDefinition } };
}

const isText = ({ type, innerType }: SchemaDefinition): boolean =>
  innerType ? isText(innerType._zod.def) : type === 'string' || type === 'enum';
