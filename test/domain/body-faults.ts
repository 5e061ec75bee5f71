import type * as z from 'zod/mini';
import { faultsOf, inBody } from '../../functions/domain/faults.ts';
import type { Fault } from '../../functions/domain/problem.ts';

/** The errors that the response to a body, or to another part, reports; none if it is accepted. */
export const faultsIn = (
  schema: z.ZodMiniType<unknown>,
  input: unknown,
  place: Parameters<typeof faultsOf>[2] = inBody,
): Fault[] => {
  const { error } = schema.safeParse(input);
  return error ? faultsOf(error, input, place) : [];
};

export const codesIn = (schema: z.ZodMiniType<unknown>, input: unknown): string[] =>
  faultsIn(schema, input).map(({ code }) => code);
