import type { z } from 'zod';

/**
 * What the local run makes of one type of resource.
 *
 * A property that the schema names is supported: a runner sees a resource only through `honoured`,
 * which drops every property that it does not name. What was dropped is reported at start, unless
 * it is listed as making no difference on one machine. So a property cannot be silently ignored,
 * and none can be used without being declared.
 */
export interface ResourceShape<Properties> {
  readonly type: string;
  /** Not strict: the schema must drop what it does not name. Defaults are CloudFormation's. */
  readonly honoured: z.ZodType<Properties>;
  /** Dotted paths, without list indexes. A path covers everything below it. */
  readonly withoutEffect: readonly string[];
}

/**
 * The dotted paths that are in `template`, did not survive into `honoured`, and would make a
 * difference.
 */
export const notHonoured = (
  template: unknown,
  honoured: unknown,
  withoutEffect: readonly string[],
): string[] => {
  const dropped = new Set<string>();
  compare(template, honoured, '', dropped);
  return [...dropped].filter(
    (path) => !withoutEffect.some((known) => path === known || path.startsWith(`${known}.`)),
  );
};

const compare = (
  template: unknown,
  honoured: unknown,
  path: string,
  dropped: Set<string>,
): void => {
  if (honoured === undefined && template !== undefined) {
    dropped.add(path);
  } else if (Array.isArray(template) && Array.isArray(honoured)) {
    template.forEach((item, index) => {
      compare(item, honoured[index], path, dropped);
    });
  } else if (isObject(template) && isObject(honoured)) {
    for (const [name, value] of Object.entries(template)) {
      compare(value, honoured[name], path === '' ? name : `${path}.${name}`, dropped);
    }
  }
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
