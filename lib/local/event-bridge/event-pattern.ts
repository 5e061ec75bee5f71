import { ServiceError } from '../server/json-server.ts';

/** Returns whether an event matches one pattern: of a mapping's FilterCriteria, or of a rule. */
export type EventPattern = (event: unknown) => boolean;

/**
 * Compiles one pattern. It supports nested objects, and in their leaves exact values and `exists`.
 * Lambda and EventBridge share the language ("Comparison operators for use in event patterns" in
 * the EventBridge user guide).
 *
 * @throws ServiceError that names the first part it does not support: a pattern that was silently
 * ignored would let events through that AWS holds back.
 */
export const compilePattern = (pattern: unknown): EventPattern => compile(pattern, '');

const compile = (pattern: unknown, path: string): EventPattern => {
  if (Array.isArray(pattern)) return compileLeaf(pattern, path);
  if (!isObject(pattern)) throw unsupported(`the value ${JSON.stringify(pattern)}`, path);
  const members = Object.entries(pattern).map(([key, child]) => {
    if (key.startsWith('$')) throw unsupported(`'${key}'`, path);
    return { key, matches: compile(child, `${path}/${key}`) };
  });
  // A member of something that is not an object is absent, which `exists: false` still has to see.
  return (value) =>
    members.every(({ key, matches }) =>
      matches(isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    );
};

const compileLeaf = (conditions: readonly unknown[], path: string): EventPattern => {
  if (conditions.length === 0) throw unsupported('an empty list', path);
  const alternatives = conditions.map((condition) =>
    isObject(condition)
      ? compileOperator(condition, path)
      : (value: unknown) => value === condition,
  );
  return (value) =>
    (Array.isArray(value) ? value : [value]).some((candidate) =>
      alternatives.some((matches) => matches(candidate)),
    );
};

const compileOperator = (condition: Record<string, unknown>, path: string): EventPattern => {
  const { exists, ...others } = condition;
  const [other] = Object.keys(others);
  if (other !== undefined) throw unsupported(`'${other}'`, path);
  // AWS looks at leaves only: a nested object does not exist by itself.
  return (value) => (value !== undefined && !isObject(value)) === exists;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unsupported = (what: string, path: string): Error => {
  const message = `The local run does not support a pattern with ${what} at '${path || '/'}'`;
  return new ServiceError('InvalidEventPatternException', message);
};
