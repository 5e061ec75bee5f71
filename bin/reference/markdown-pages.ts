import { operationAnchor, tagAnchor, tagGroupAnchor } from '../../lib/openapi/anchors.ts';
import type { OpenapiDocument, OperationObject } from '../../lib/openapi/document.ts';
import { operationsIn } from './operations-in.ts';

interface Page {
  readonly group: string;
  /** Where the HTML page has the same section. */
  readonly anchor: string;
  readonly address: string;
  readonly title: string;
  readonly text: string;
}

/**
 * The reference for programs that read text, by file name: `llms.txt`, which lists the pages, and a
 * Markdown page for each guide, operation and code, and for the events.
 */
export const markdownPages = (document: OpenapiDocument): Record<string, string> => {
  const { info, 'x-tagGroups': groups } = document;
  const pages = pagesOf(document);
  const addresses = new Map([
    ...groups.map(({ name }) => [tagGroupAnchor(name), 'llms.txt'] as const),
    ...pages.map(({ anchor, address }) => [anchor, address] as const),
  ]);
  const linked = (text: string, toRoot: string) =>
    text.replaceAll(/\]\((#[^)]+)\)/g, (_, anchor: string) => {
      const address = addresses.get(anchor);
      if (!address) throw new Error(`No Markdown page has the anchor ${anchor}.`);
      return `](${toRoot}${address})`;
    });
  const list = groups.flatMap(({ name }) => [
    `## ${name}`,
    pages
      .filter(({ group }) => group === name)
      .map(({ title, address }) => `- [${title}](${address})`)
      .join('\n'),
  ]);
  const about = 'The OpenAPI document with every schema is `openapi.json`, beside this file.';
  const head = [`# ${info.title}`, `> ${info.summary}`, linked(info.description, ''), about];
  return {
    'llms.txt': `${[...head, ...list].join('\n\n')}\n`,
    ...Object.fromEntries(
      pages.map(({ address, title, text }) => [address, `# ${title}\n\n${linked(text, '../')}\n`]),
    ),
  };
};

/** A page for each operation, and for each tag without operations. */
const pagesOf = (document: OpenapiDocument): readonly Page[] => {
  const operations = operationsIn(document);
  return document['x-tagGroups'].flatMap((group) =>
    document.tags
      .filter(({ name }) => group.tags.includes(name))
      .flatMap(({ name, description }): Page[] => {
        const ofTag = operations.filter(({ operation }) =>
          operation.tags.some((tag) => tag === name),
        );
        if (ofTag.length === 0) {
          const [anchor, title] = [tagAnchor(name), name];
          const address = `markdown/${anchor.replace('#tag/', '')}.md`;
          return [{ group: group.name, anchor, address, title, text: description }];
        }
        return ofTag.map(({ operation, request }) => ({
          group: group.name,
          anchor: operationAnchor(operation.operationId),
          address: `markdown/${operation.operationId}.md`,
          title: operation.summary,
          text: operationText(document, operation, request),
        }));
      }),
  );
};

const operationText = (
  { components }: OpenapiDocument,
  { description, parameters, requestBody, responses, 'x-codeSamples': samples }: OperationObject,
  request: string,
): string => {
  const parameterLines = parameters.map((each) => {
    const { IdempotencyKey } = components.parameters;
    const {
      name,
      in: place,
      required,
      description: words,
    } = '$ref' in each ? IdempotencyKey : each;
    return `- \`${name}\` (${place}, ${required ? 'required' : 'optional'}): ${words}`;
  });
  const body = requestBody?.content['application/json'];
  const bodyName = body?.schema.$ref.split('/').at(-1) ?? '';
  const responseLines = Object.entries(responses).map(
    ([status, { description: words }]) => `- ${status}: ${words.replaceAll('\n\n', ' ')}`,
  );
  return [
    request,
    description,
    ['## Parameters', parameterLines.join('\n')],
    requestBody ? ['## Body', requestBody.description, json(components.schemas[bodyName])] : [],
    ['## Responses', responseLines.join('\n')],
    samples.flatMap(({ label, lang, source }) => [
      `## ${label}`,
      `\`\`\`${lang}\n${source.trimEnd()}\n\`\`\``,
    ]),
  ]
    .flat()
    .join('\n\n');
};

const json = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
