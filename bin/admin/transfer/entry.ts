import * as z from 'zod/mini';
import type { Fault } from '../../../functions/domain/problem.ts';
import { faultsOf, inBody } from '../../../functions/http/faults.ts';
import type { Need } from '../table/needs.ts';
import type { Item } from '../table/scan.ts';
import { type Column, columnsOf } from './columns.ts';

// Without a language, zod/mini explains nothing: the functions leave it out to start faster.
z.config(z.locales.en());

/** A line of a file as an item. */
export interface Entry {
  readonly item: Item;
  /** What the line says that never changes: where the table says otherwise, it is another thing. */
  readonly settled: Item;
  readonly need?: Need | undefined;
  /**
   * The members that the item in its place takes over, if that is still as it began and this one
   * has gone on. Nothing returns to its beginning, so what the table has is older.
   */
  readonly advancing?: readonly string[];
}

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
): Required<EntryReader> => ({
  columns: columnsOf(schema.shape),
  read: (input) => {
    const { data, error } = z.safeParse(schema, input);
    if (error) return faultsOf(error, input, inBody);
    const item = toItem(data);
    const said = ['workspace', ...Object.keys(input as object)];
    const names = said.filter((name) => name in item && !changing.includes(name));
    return { item, settled: Object.fromEntries(names.map((name) => [name, item[name]])) };
  },
});
