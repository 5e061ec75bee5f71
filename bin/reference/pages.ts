import { operationAnchor, tagAnchor, tagGroupAnchor } from '../../lib/openapi/anchors.ts';
import type { OpenapiDocument, OperationObject } from '../../lib/openapi/document.ts';

/** A tag of the document or an operation, as text in Markdown. */
interface Page {
  /** Below the heading of its group. */
  readonly level: 3 | 4;
  /** Where Scalar's page has the same section. */
  readonly anchor: string;
  readonly address: string;
  readonly title: string;
  readonly text: string;
  /** What the text has besides for programs. */
  readonly details?: string;
}

/** The pages of each group, in the order of Scalar's page. */
export const pagesOf = (document: OpenapiDocument): [group: string, pages: readonly Page[]][] =>
  document['x-tagGroups'].map(({ name: group, tags }) => [
    group,
    document.tags
      .filter(({ name }) => tags.includes(name))
      .flatMap(({ name: title, description: text }): Page[] => {
        const anchor = tagAnchor(title);
        const address = `markdown/${anchor.replace('#tag/', '')}.md`;
        return [{ level: 3, anchor, address, title, text }, ...operationPages(document, title)];
      }),
  ]);

const operationPages = ({ paths, components }: OpenapiDocument, ofTag: string): Page[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.some((tag) => tag === ofTag))
      .map(([method, operation]): Page => {
        const { operationId, summary: title, description } = operation;
        const anchor = operationAnchor(operationId);
        const address = `markdown/${operationId}.md`;
        const text = `\`${method.toUpperCase()} ${path}\`\n\n${description}`;
        const details = detailsOf(operation, components);
        return { level: 4, anchor, address, title, text, details };
      }),
  );

const detailsOf = (
  { parameters, requestBody, responses, 'x-codeSamples': samples }: OperationObject,
  { parameters: shared, schemas }: OpenapiDocument['components'],
): string => {
  const parameterLines = parameters.map((each) => {
    const parameter = '$ref' in each ? shared.IdempotencyKey : each;
    const { name, in: place, required, description } = parameter;
    return `- \`${name}\` (${place}, ${required ? 'required' : 'optional'}): ${description}`;
  });
  const body = requestBody?.content['application/json'];
  const bodyName = body?.schema.$ref.split('/').at(-1) ?? '';
  const responseLines = Object.entries(responses).map(
    ([status, { description }]) => `- ${status}: ${description.replaceAll('\n\n', ' ')}`,
  );
  return [
    ['## Parameters', parameterLines.join('\n')],
    requestBody ? ['## Body', requestBody.description, block('json', json(schemas[bodyName]))] : [],
    ['## Responses', responseLines.join('\n')],
    samples.flatMap(({ label, lang, source }) => [`## ${label}`, block(lang, source.trimEnd())]),
  ]
    .flat()
    .join('\n\n');
};

const json = (value: unknown) => JSON.stringify(value, null, 2);

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;

/**
 * The reference for programs that read text, by file name: the pages, and `llms.txt`, which lists
 * them.
 */
export const markdownFiles = (document: OpenapiDocument): Record<string, string> => {
  const { info } = document;
  const groups = pagesOf(document);
  const pages = groups.flatMap(([, ofGroup]) => ofGroup);
  const addresses = new Map([
    ...groups.map(([group]) => [tagGroupAnchor(group), 'llms.txt'] as const),
    ...pages.map(({ anchor, address }) => [anchor, address] as const),
  ]);
  const linked = (text: string, toRoot: string) =>
    text.replaceAll(/\]\((#[^)]+)\)/g, (_, anchor: string) => {
      const address = addresses.get(anchor);
      if (!address) throw new Error(`No Markdown page has the anchor ${anchor}.`);
      return `](${toRoot}${address})`;
    });
  const list = groups.flatMap(([group, ofGroup]) => [
    `## ${group}`,
    ofGroup.map(({ title, address }) => `- [${title}](${address})`).join('\n'),
  ]);
  const about = 'The OpenAPI document with every schema is `openapi.json`, beside this file.';
  const head = [`# ${info.title}`, `> ${info.summary}`, linked(info.description, ''), about];
  return {
    'llms.txt': `${[...head, ...list].join('\n\n')}\n`,
    ...Object.fromEntries(
      pages.map(({ address, title, text, details = '' }) => [
        address,
        linked(`${`# ${title}\n\n${text}\n\n${details}`.trimEnd()}\n`, '../'),
      ]),
    ),
  };
};
