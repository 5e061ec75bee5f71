import { isDeepStrictEqual } from 'node:util';

// biome-ignore lint/suspicious/noExplicitAny: a part of a document, in one of many shapes.
type Part = any;

/** The same part of two documents; `after` is undefined where it is gone. */
interface Pair {
  readonly where: string;
  readonly before: Part;
  readonly after: Part;
}

/** Who sends what a schema describes: the service answers and events, its clients requests. */
type Sender = 'service' | 'client';

/**
 * A sentence for each change that breaks a client of `/v1` or a consumer of events, none for two
 * compatible documents. New operations, parameters and members, and new values of what the service
 * sends, are compatible: the contract says that clients must expect them.
 */
export const findBreaks = (before: object, after: object): string[] => {
  const [older, newer]: Part[] = [before, after].map((document) => flat(document, document));
  return [
    ...pairs(older.paths, newer.paths).flatMap((path) =>
      pairs(path.before, path.after).flatMap(({ where, ...operation }) =>
        inBoth({ ...operation, where: `${where.toUpperCase()} ${path.where}` }, operationBreaks),
      ),
    ),
    ...pairs(older.webhooks, newer.webhooks, 'Webhook ').flatMap((webhook) =>
      inBoth(webhook, ({ where, before, after }) =>
        contentBreaks(
          { where, before: before.post.requestBody, after: after.post?.requestBody ?? {} },
          'service',
        ),
      ),
    ),
    // Generators of clients name types after them.
    ...pairs(older.components.schemas, newer.components.schemas, 'The schema ').flatMap((schema) =>
      inBoth(schema, () => []),
    ),
    ...pairs(
      older.components.securitySchemes,
      newer.components.securitySchemes,
      'The security scheme ',
    ).flatMap((scheme) => inBoth(scheme, securityBreaks)),
  ];
};

const securityBreaks = ({ where, before, after }: Pair): string[] => {
  const [older, newer] = [before, after].map(({ description: _, ...rest }) => rest);
  return isDeepStrictEqual(older, newer) ? [] : [`${where} has changed.`];
};

/** A part with its references followed, and the schemas of each `allOf` laid over each other. */
const flat = (part: Part, document: Part): Part => {
  if (Array.isArray(part)) return part.map((each) => flat(each, document));
  if (typeof part !== 'object' || part === null) return part;
  if (part.$ref) return flat(find(part.$ref, document), document);
  const { allOf = [], ...own } = part;
  const keywords = Object.entries(own).map(([key, value]) => [key, flat(value, document)]);
  return flat(allOf, document).reduceRight(
    (over: Part, under: Part) => overlaid(under, over),
    Object.fromEntries(keywords),
  );
};

const find = (reference: string, document: Part): Part =>
  reference
    .split('/')
    .slice(1)
    .reduce((found, key) => found[key], document);

const overlaid = (under: Part, over: Part): Part => {
  const members = Object.entries(over.properties ?? {}).map(([name, member]) => [
    name,
    overlaid(under.properties?.[name] ?? {}, member),
  ]);
  return {
    ...under,
    ...over,
    ...(under.properties && {
      properties: { ...under.properties, ...Object.fromEntries(members) },
    }),
  };
};

/** What one object has, beside what the other has under the same name. */
const pairs = (before: Part, after: Part, prefix = ''): Pair[] =>
  Object.entries(before ?? {}).map(([name, part]) => ({
    where: `${prefix}${name}`,
    before: part,
    after: after?.[name],
  }));

const inBoth = (pair: Pair, compare: (pair: Pair) => string[]): string[] =>
  pair.after === undefined ? [`${pair.where} is gone.`] : compare(pair);

const operationBreaks = ({ where, before, after }: Pair): string[] => [
  ...['operationId', 'security']
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => `${where} has another ${key}.`),
  ...parameterBreaks({ where, before: byName(before), after: byName(after) }),
  ...(after.requestBody?.required && !before.requestBody?.required
    ? [`${where} requires a body.`]
    : []),
  ...pairs({ body: before.requestBody ?? {} }, { body: after.requestBody }, `${where}: `).flatMap(
    (body) => (before.requestBody ? inBoth(body, (pair) => contentBreaks(pair, 'client')) : []),
  ),
  ...pairs(before.responses, after.responses, `${where}: `).flatMap((response) =>
    inBoth(response, responseBreaks),
  ),
];

const byName = ({ parameters = [] }: Part): Readonly<Record<string, Part>> =>
  Object.fromEntries(parameters.map((each: Part) => [`${each.in} ${each.name}`, each]));

const parameterBreaks = ({ where, before, after }: Pair): string[] => [
  ...pairs(before, after, `${where}: parameter `).flatMap((parameter) =>
    inBoth(parameter, (pair) => schemaBreaks(schemasOf(pair), 'client')),
  ),
  ...Object.keys(after)
    .filter((name) => after[name].required && !before[name]?.required)
    .map((name) => `${where} requires the parameter ${name}.`),
];

const responseBreaks = ({ where, before, after }: Pair): string[] => [
  ...pairs(before.headers, after.headers, `${where}: header `).flatMap((header) =>
    inBoth(header, (pair) => [
      ...(pair.before.required && !pair.after.required ? [`${pair.where} may be missing.`] : []),
      ...schemaBreaks(schemasOf(pair), 'service'),
    ]),
  ),
  ...contentBreaks({ where, before, after }, 'service'),
];

const contentBreaks = ({ where, before, after }: Pair, sender: Sender): string[] =>
  pairs(before.content, after.content, `${where}: `).flatMap((content) =>
    inBoth(content, (pair) => schemaBreaks(schemasOf(pair), sender)),
  );

const schemasOf = ({ where, before, after }: Pair): Pair => ({
  where,
  before: before.schema ?? {},
  after: after.schema ?? {},
});

/** What a change of a schema takes from those who read or send what it describes. */
export const schemaBreaks = ({ where, before, after }: Pair, sender: Sender): string[] => [
  ...keywordBreaks(before, after, sender).map((change) => `${where} ${change}.`),
  ...pairs(before.properties, after.properties, `${where}: `).flatMap((member) =>
    inBoth(member, (pair) => schemaBreaks(pair, sender)),
  ),
  ...pairs(before.anyOf, after.anyOf, `${where}: alternative `).flatMap((alternative) =>
    inBoth(alternative, (pair) => schemaBreaks(pair, sender)),
  ),
  ...(before.items && after.items
    ? schemaBreaks({ where: `${where}[]`, before: before.items, after: after.items }, sender)
    : []),
];

/** What the keywords of a schema take away, without those of its members. */
const keywordBreaks = (before: Part, after: Part, sender: Sender): string[] => {
  const isSent = sender === 'service';
  // What is sent stays within what it was; what is accepted contains what it was.
  const [part, whole] = isSent ? [after, before] : [before, after];
  const required = without<string>(whole.required, part.required);
  const values = valuesOf(before);
  return [
    ...(without([part.type].flat(), [whole.type].flat()).length > 0 ? ['has another type'] : []),
    ...required.map((name) => (isSent ? `may lack ${name}` : `requires ${name}`)),
    ...(values && valuesOf(after)
      ? without(values, valuesOf(after)).map((value) => `has no ${JSON.stringify(value)} any more`)
      : valuesOf(whole)
        ? ['has another set of values']
        : []),
    ...['pattern', 'format', 'default', 'propertyNames']
      .filter((key) => whole[key] !== undefined || key === 'default')
      .filter((key) => !isDeepStrictEqual(before[key], after[key]))
      .map((key) => `has another ${key}`),
    ...((before.anyOf?.length ?? 0) < (after.anyOf?.length ?? 0) && isSent
      ? ['has another alternative']
      : []),
    ...(whole.items && !part.items ? ['has other elements'] : []),
    ...(isSent ? [] : tighterLimits(before, after).map((key) => `has a tighter ${key}`)),
  ];
};

const without = <T>(all: readonly T[] = [], others: readonly T[] = []): T[] =>
  all.filter((each) => !others.includes(each));

const valuesOf = (schema: Part): unknown[] | undefined =>
  schema.const === undefined ? schema.enum : [schema.const];

const tighterLimits = (before: Part, after: Part): string[] => [
  ...['maximum', 'maxLength', 'maxItems'].filter(
    (key) => after[key] < (before[key] ?? Number.POSITIVE_INFINITY),
  ),
  ...['minimum', 'minLength', 'minItems'].filter(
    (key) => after[key] > (before[key] ?? Number.NEGATIVE_INFINITY),
  ),
  ...(after.additionalProperties === false && before.additionalProperties !== false
    ? ['additionalProperties']
    : []),
];
