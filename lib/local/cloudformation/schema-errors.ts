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

/** What a property must be, after its name: `must be nodejs24.x, not python3.13`. */
export const describeIssue: z.core.$ZodErrorMap = (issue) => {
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
      return `must match ${issue.pattern}, not ${input}`;
  }
  return undefined;
};

/** A line for each property in which a resource is not as its schema says. */
export const issueLines = ({ issues }: z.ZodError): string[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${[...issue.path, key].join('.')} is not supported`)
      : `${issue.path.join('.')} ${issue.message}`,
  );

const listOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

const describeChoice = (values: readonly unknown[], actual: unknown): string => {
  const choices = values.filter((value) => value !== undefined).map(String);
  return `must be ${listOf.format(choices)}, not ${typeof actual === 'string' ? actual : inspect(actual)}`;
};
