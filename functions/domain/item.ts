/** An item of the table, unparsed: its members depend on its type. */
export type Item = Readonly<Record<string, unknown>>;
