import type * as z from 'zod/mini';
import { type Fault, type FaultText, Problem, type ProblemCode, problems } from './problem.ts';
import { withCommas } from './text.ts';

type Place = { pointer: string } | { parameter: string };
type Path = readonly PropertyKey[];

/** How long a pointer to a fault is at most, in characters of JSON. */
export const maximumPointerLength = 200;

/** Where a fault of a body is: a JSON pointer (RFC 6901), cut at a name where it is too long. */
export const inBody = (path: Path): { pointer: string } => {
  let pointer = '';
  for (const part of path) {
    const longer = `${pointer}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (JSON.stringify(longer).length > maximumPointerLength + '""'.length) break;
    pointer = longer;
  }
  return { pointer };
};

/** Where a fault of a query is: the parameter's name. */
export const inQuery = ([name = '']: Path) => ({ parameter: String(name) });

/** The faults that a schema found, each with a stable code and a sentence. */
export const faultsOf = <At extends Place>(
  { issues }: Pick<z.core.$ZodError, 'issues'>,
  input: unknown,
  locate: (path: Path) => At,
): (At & FaultText)[] =>
  issues.flatMap((issue): (At & FaultText)[] => {
    const at = locate(issue.path);
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => {
          const place = locate([...issue.path, key]);
          const detail = 'pointer' in place ? 'Unknown field.' : 'Unknown parameter.';
          return { ...place, code: 'unknown', detail };
        });
      case 'invalid_type':
        return issue.path.length > 0 && valueAt(input, issue.path) === undefined
          ? [{ ...at, code: 'required', detail: 'Is required.' }]
          : [{ ...at, code: 'invalid_type', detail: `Must be ${article(issue.expected)}.` }];
      case 'invalid_value':
        return [{ ...at, code: issue.code, detail: `Must be one of ${issue.values.join(', ')}.` }];
      case 'custom':
        return [{ ...at, code: issue.params?.code, detail: issue.message }];
      default:
        return [{ ...at, code: issue.code, detail: issue.message }];
    }
  });

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)?.[key], input);

/** What the schema library calls otherwise than everybody else. */
const otherNames: Readonly<Record<string, string>> = {
  record: 'an object',
  int: 'a whole number',
};

const article = (type: string) =>
  otherNames[type] ?? `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`;

/** A body of 64 KiB can have thousands, and a response with all of them ten times its size. */
export const maximumFaults = 100;

/**
 * The first faults and the number of all in one problem. Where they all have one code that is also
 * a problem's, as with `invalid_cursor`, the problem has it too; else it is an `invalid_request`.
 */
export const faulty = (faults: readonly Fault[]): Problem => {
  const codes = new Set(faults.map(({ code }) => code));
  const [code = ''] = codes;
  const own = codes.size === 1 && Object.hasOwn(problems, code);
  const errors = faults.slice(0, maximumFaults);
  const [all, more] = [faults.length, faults.length - maximumFaults].map(withCommas);
  return new Problem(
    own ? (code as ProblemCode) : 'invalid_request',
    faults.length > maximumFaults
      ? `The request has ${all} errors: the first ${maximumFaults}, and ${more} more.`
      : `The request has ${faults.length === 1 ? '1 error' : `${all} errors`}.`,
    { errors },
  );
};
