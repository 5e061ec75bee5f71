import { InvalidArgumentError } from 'commander';
import * as z from 'zod/mini';

/** Reads an argument by a schema of the domain; what it does not accept is a wrong command line. */
export const argument =
  <T>(schema: z.ZodMiniType<T>, advice: string) =>
  (text: string): T => {
    const { success, data } = z.safeParse(schema, text);
    if (!success) throw new InvalidArgumentError(advice);
    return data;
  };
