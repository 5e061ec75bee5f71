/** Where CloudFormation's intrinsic functions find the values that they name. */
export interface Lookup {
  /** What `Ref` returns for a resource or (pseudo) parameter; undefined removes the property. */
  readonly ref: (name: string) => unknown;
  readonly attribute: (logicalId: string, attribute: string) => unknown;
  readonly condition: (name: string) => boolean;
  readonly mapping: (map: string, key: string, attribute: string) => unknown;
  /** Called on every string put together by `Fn::Join` or `Fn::Sub`. */
  readonly joined: (text: string) => string;
}

type Intrinsic = (argument: unknown, lookup: Lookup) => unknown;

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, lookup) => lookup.ref(text(argument)),

  'Fn::GetAtt': (argument, lookup) => {
    const [logicalId, ...attribute] =
      typeof argument === 'string' ? argument.split('.') : list(argument);
    return lookup.attribute(text(logicalId), attribute.join('.'));
  },

  'Fn::Join': (argument, lookup) => {
    const [separator, parts] = list(argument);
    const strings = list(resolve(parts, lookup)).map(text);
    return lookup.joined(strings.join(text(separator)));
  },

  'Fn::Sub': (argument, lookup) => {
    const [template, variables = {}] = Array.isArray(argument) ? argument : [argument];
    const own = variables as Record<string, unknown>;
    return lookup.joined(
      text(template).replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
        if (literal === '!') return `\${${name}}`;
        if (name in own) return text(resolve(own[name], lookup));
        const [logicalId = '', ...attribute] = name.split('.');
        return text(
          attribute.length === 0
            ? lookup.ref(name)
            : lookup.attribute(logicalId, attribute.join('.')),
        );
      }),
    );
  },

  'Fn::Select': (argument, lookup) => {
    const [index, values] = list(argument);
    return list(resolve(values, lookup))[Number(resolve(index, lookup))];
  },

  'Fn::Split': (argument, lookup) => {
    const [separator, source] = list(argument);
    return text(resolve(source, lookup)).split(text(separator));
  },

  'Fn::FindInMap': (argument, lookup) => {
    const [map, key, attribute] = list(argument).map((part) => text(resolve(part, lookup)));
    return lookup.mapping(text(map), text(key), text(attribute));
  },

  'Fn::If': (argument, lookup) => {
    const [condition, whenTrue, whenFalse] = list(argument);
    return resolve(lookup.condition(text(condition)) ? whenTrue : whenFalse, lookup);
  },

  'Fn::Equals': (argument, lookup) => {
    const [left, right] = list(argument);
    return String(resolve(left, lookup)) === String(resolve(right, lookup));
  },
  'Fn::Not': (argument, lookup) => !resolve(list(argument)[0], lookup),
  'Fn::And': (argument, lookup) => list(argument).every((part) => resolve(part, lookup)),
  'Fn::Or': (argument, lookup) => list(argument).some((part) => resolve(part, lookup)),
};

/**
 * Resolves every intrinsic function inside a value of the template.
 *
 * @throws Error on an unknown one
 */
export const resolve = (value: unknown, lookup: Lookup): unknown => {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, lookup)).filter((item) => item !== undefined);
  }
  if (typeof value !== 'object' || value === null) return value;

  const entries = Object.entries(value);
  const [first] = entries;
  if (first !== undefined && entries.length === 1) {
    const [name, argument] = first;
    const intrinsic = intrinsics[name];
    if (intrinsic !== undefined) return intrinsic(argument, lookup);
    if (name.startsWith('Fn::')) throw new Error(`${name} is not resolved by the local run`);
    // Inside a condition this is a reference to another one; anywhere else it is a property's name.
    if (name === 'Condition' && typeof argument === 'string') return lookup.condition(argument);
  }
  return Object.fromEntries(
    entries
      .map(([name, item]): [string, unknown] => [name, resolve(item, lookup)])
      .filter(([, item]) => item !== undefined),
  );
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
