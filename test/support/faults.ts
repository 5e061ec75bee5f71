import type * as z from 'zod/mini';
import type { Fault } from '../../functions/domain/problem.ts';
import { faultsOf, inBody } from '../../functions/http/faults.ts';

/** What a caller is told is wrong with a body; nothing if it is taken. */
export const faultsIn = (schema: z.ZodMiniType<unknown>, input: unknown): Fault[] => {
  const { error } = schema.safeParse(input);
  return error ? faultsOf(error, input, inBody) : [];
};

export const codesIn = (schema: z.ZodMiniType<unknown>, input: unknown): string[] =>
  faultsIn(schema, input).map(({ code }) => code);
