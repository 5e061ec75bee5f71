import { InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';

/** Parses an argument with a schema of the domain; a value that it rejects is a usage error. */
export const argument =
  <T>(schema: z.ZodMiniType<T>, advice: string) =>
  (text: string): T => {
    const { success, data } = z.safeParse(schema, text);
    if (!success) throw new InvalidArgumentError(advice);
    return data;
  };
