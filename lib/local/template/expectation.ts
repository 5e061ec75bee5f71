import { inspect } from 'node:util';
import type { z } from 'zod';

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  number: 'a number',
  object: 'a map',
  record: 'a map',
  string: 'a string',
};

/** Follows the name of a property that cannot run: `must start with nodejs, not python3.13`. */
export const expectation: z.core.$ZodErrorMap = (issue) => {
  const { input } = issue;
  if (input === undefined) return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      // Quotes distinguish '30' from 30.
      return `must be ${typeNames[issue.expected] ?? issue.expected}, not ${inspect(input)}`;
    case 'invalid_value':
      return describeChoice(issue.values, input);
    case 'invalid_union':
      return describeChoice(issue.options as string[], Object(input)[issue.discriminator ?? '']);
    case 'invalid_format':
      return issue.format === 'starts_with'
        ? `must start with ${issue.prefix}, not ${input}`
        : `must match ${issue.pattern}, not ${input}`;
  }
  return undefined;
};

const listOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const describeChoice = (values: readonly unknown[], actual: unknown): string =>
  `must be ${listOf.format(values.map(String))}, not ${typeof actual === 'string' ? actual : inspect(actual)}`;
