import * as z from 'zod/mini';

/** How many things of each kind, by its name. */
export const TallySchema = z.record(z.string(), z.int());
export type Tally = z.infer<typeof TallySchema>;

/** Counts another thing of a kind. */
export const addTo = (tally: Tally, kind: unknown): void => {
  tally[String(kind)] = (tally[String(kind)] ?? 0) + 1;
};

/** How many things of all kinds. */
export const totalOf = (tally: Readonly<Tally>): number =>
  Object.values(tally).reduce((sum, number) => sum + number, 0);
