import { asText } from './read-template.ts';

export interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  /** Of a policy on a resource: whom it is about. */
  readonly Principal?: unknown;
  readonly Condition?: Record<string, Record<string, string | string[]>>;
}

export const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** Whether an IAM pattern, in which `*` is any text, matches. */
export const matches = (pattern: string, text: string) =>
  new RegExp(`^${pattern.replaceAll(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

/** Whether a key of a request meets an operator. Only a negated one holds without the key. */
const operators: Readonly<Record<string, (found: string | undefined, given: string[]) => boolean>> =
  {
    ArnNotEquals: (found, given) =>
      found === undefined || !given.some((each) => matches(each, found)),
    Bool: (found, given) => found !== undefined && given.includes(found),
  };

/**
 * Whether one of these statements denies everyone an action on a resource, in a request with these
 * keys, whatever else allows it.
 *
 * @throws Error if a condition has an operator that is not known here
 */
export const isDenied = (
  statements: readonly Statement[],
  action: string,
  arn: string,
  keys: Readonly<Record<string, string>>,
): boolean =>
  statements
    .filter(
      ({ Effect, Principal, Action, Resource }) =>
        Effect === 'Deny' &&
        /^(\*|\{"AWS":"\*"\})$/.test(asText(Principal)) &&
        list(Action).some((pattern) => matches(pattern, action)) &&
        list(Resource).some((pattern) => matches(asText(pattern), arn)),
    )
    .some(({ Condition = {} }) =>
      Object.entries(Condition).every(([operator, values]) =>
        Object.entries(values).every(([key, given]) => {
          const holds = operators[operator];
          if (!holds) throw new Error(`What ${operator} means is not known here.`);
          return holds(keys[key], list(given).map(asText));
        }),
      ),
    );
