/** Where CloudFormation's intrinsic functions find the values that they name. */
export interface Lookup {
  /** What `Ref` returns for a resource or a pseudo parameter. */
  readonly ref: (name: string) => unknown;
  readonly attribute: (logicalId: string, attribute: string) => unknown;
}

type Intrinsic = (argument: unknown, lookup: Lookup) => unknown;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, lookup) => lookup.ref(text(argument)),

  'Fn::GetAtt': (argument, lookup) => {
    const [logicalId, attribute] = list(argument);
    return lookup.attribute(text(logicalId), text(attribute));
  },

  'Fn::Join': (argument, lookup) => {
    const [separator, parts] = list(argument);
    return list(resolve(parts, lookup)).map(text).join(text(separator));
  },

  'Fn::Sub': (argument, lookup) =>
    text(argument).replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => text(lookup.ref(name))),

  'Fn::Select': (argument, lookup) => {
    const [index, values] = list(argument);
    return list(resolve(values, lookup))[Number(index)];
  },

  'Fn::Split': (argument, lookup) => {
    const [separator, source] = list(argument);
    return text(resolve(source, lookup)).split(text(separator));
  },
};

/**
 * Resolves every intrinsic function inside a value of the template.
 *
 * @throws Error on an unknown one, and on a dynamic reference
 */
export const resolve = (value: unknown, lookup: Lookup): unknown => {
  if (Array.isArray(value)) return value.map((item) => resolve(item, lookup));
  if (typeof value === 'string' && value.includes('{{resolve:')) {
    throw new Error(`the dynamic reference ${value} is not resolved by the local run`);
  }
  if (typeof value !== 'object' || value === null) return value;

  const entries = Object.entries(value);
  const [first] = entries;
  if (first !== undefined && entries.length === 1) {
    const [name, argument] = first;
    const intrinsic = intrinsics[name];
    if (intrinsic !== undefined) return intrinsic(argument, lookup);
    if (name.startsWith('Fn::')) throw new Error(`${name} is not resolved by the local run`);
  }
  return Object.fromEntries(entries.map(([key, item]) => [key, resolve(item, lookup)]));
};

const text = (value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return String(value);
  }
  throw new Error(`A string was expected in the template, not ${JSON.stringify(value)}`);
};

const list = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  throw new Error(`A list was expected in the template, not ${JSON.stringify(value)}`);
};
