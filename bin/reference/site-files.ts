import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import MarkdownIt from 'markdown-it';
import { problems } from '../../functions/domain/problem.ts';
import { tagAnchor, tagGroupAnchor } from '../../lib/openapi/anchors.ts';
import type { OpenapiDocument } from '../../lib/openapi/document.ts';
import { sampleUrl } from '../../lib/openapi/samples.ts';
import { markdownFiles, pagesOf } from './pages.ts';

/** The facts of an installation that its reference shows. */
export interface Installation {
  /** The base URL for the samples, in place of the one that stands for any. */
  readonly api?: string;
  /** An e-mail address. */
  readonly support?: string;
  /** Where the terms of service are. */
  readonly terms?: string;
}

/**
 * The files of the published reference by name: the page, its script, the document, a page for each
 * code, and the same text as Markdown.
 */
export const siteFiles = async (installation: Installation): Promise<Record<string, string>> => {
  const document = documentOf(installation);
  const { 'index.html': page = '', ...others } = filesIn(join(import.meta.dirname, 'site'));
  return {
    'index.html': page.replace('<!-- outline -->', () => outline(document)),
    ...others,
    ...Object.fromEntries(
      Object.keys(problems).map((code) => [`problems/${code}.html`, problemPage(code)]),
    ),
    ...markdownFiles(document),
    'scalar.js': await scalarScript(),
    'openapi.json': JSON.stringify(document),
  };
};

const documentOf = ({ api, support, terms }: Installation): OpenapiDocument => {
  const text = readFileSync(join(root, 'openapi.json'), 'utf8');
  const document = JSON.parse(api ? text.replaceAll(sampleUrl, api) : text);
  return {
    ...document,
    info: {
      ...document.info,
      ...(support && { contact: { name: 'Support', email: support } }),
      ...(terms && { termsOfService: terms }),
    },
    ...(api && { servers: [{ url: api }] }),
  };
};

const root = join(import.meta.dirname, '../..');

/** The files of a folder by name. */
export const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

/**
 * What Scalar's page shows, to be read while its script is compiled, which takes a slow machine
 * seconds.
 */
const outline = (document: OpenapiDocument): string => {
  const sections = pagesOf(document).flatMap(([group, pages]) => [
    section(tagGroupAnchor(group), `## ${group}`),
    ...pages.map(({ level, anchor, title, text }) =>
      section(anchor, `${'#'.repeat(level)} ${title}`, text),
    ),
  ]);
  const { title, description } = document.info;
  return [section('#top', `# ${title}`, description), ...sections].join('');
};

const section = (anchor: string, ...markdown: string[]) =>
  `<section id="${anchor.slice(1)}">${new MarkdownIt().render(markdown.join('\n\n'))}</section>`;

/** Where the `type` of a problem leads: an address that outlives any viewer's own. */
const problemPage = (code: string, anchor = tagAnchor(code)) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="refresh" content="0; url=../${anchor}" />
    <title>${code}</title>
  </head>
  <body><a href="../${anchor}">${code}</a></body>
</html>
`;

/** Scalar's page as one script. The package holds it as text, and gives it to a server alone. */
const scalarScript = async (): Promise<string> => {
  const server = fastify().register(scalar, { configuration: { url: 'openapi.json' } });
  const { statusCode, body } = await server.inject('/reference/js/scalar.js');
  if (statusCode !== 200) throw new Error('@scalar/fastify-api-reference has moved its script.');
  return body;
};
