import MarkdownIt from 'markdown-it';
import { operationAnchor, tagAnchor, tagGroupAnchor } from '../../lib/openapi/anchors.ts';
import type { OpenapiDocument } from '../../lib/openapi/document.ts';

/**
 * What Scalar's page shows, in HTML, to be read while its script is compiled, which takes a slow
 * machine seconds.
 */
export const outline = (document: OpenapiDocument): string => {
  const { info, tags, 'x-tagGroups': groups } = document;
  const sections = groups.flatMap((group) => [
    section(tagGroupAnchor(group.name), `## ${group.name}`),
    ...tags
      .filter(({ name }) => group.tags.includes(name))
      .flatMap(({ name, description }) => [
        section(tagAnchor(name), `### ${name}`, description),
        ...operationSections(document, name),
      ]),
  ]);
  return [section('#top', `# ${info.title}`, info.description), ...sections].join('');
};

const operationSections = ({ paths }: OpenapiDocument, tag: string): string[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags.some((each) => each === tag))
      .map(([method, { operationId, summary, description }]) => {
        const request = `\`${method.toUpperCase()} ${path}\``;
        return section(operationAnchor(operationId), `#### ${summary}`, request, description);
      }),
  );

const markdown = new MarkdownIt();

const section = (anchor: string, ...paragraphs: string[]): string =>
  `<section id="${anchor.slice(1)}">${markdown.render(paragraphs.join('\n\n'))}</section>`;
