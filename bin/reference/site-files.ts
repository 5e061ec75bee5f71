import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { problems } from '../../functions/domain/problem.ts';

const site = join(import.meta.dirname, 'site');

/** The files of the published reference by name: the page, its script, the document, a page a code. */
export const siteFiles = async (document: object): Promise<Record<string, string>> => ({
  ...filesIn(site),
  ...Object.fromEntries(
    Object.keys(problems).map((code) => [`problems/${code}.html`, problemPage(code)]),
  ),
  'scalar.js': await scalarScript(),
  'openapi.json': JSON.stringify(document),
});

/** Where the `type` of a problem leads: an address that outlives any viewer's own. */
const problemPage = (code: string, anchor = `#tag/${code.replaceAll('_', '-')}`) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="refresh" content="0; url=../${anchor}" />
    <title>${code}</title>
  </head>
  <body><a href="../${anchor}">${code}</a></body>
</html>
`;

/** The files of a folder by name. */
export const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );

/** Scalar's page as one script. The package holds it as text, and gives it to a server alone. */
const scalarScript = async (): Promise<string> => {
  const server = fastify().register(scalar, { configuration: { url: 'openapi.json' } });
  const { statusCode, body } = await server.inject('/reference/js/scalar.js');
  if (statusCode !== 200) throw new Error('@scalar/fastify-api-reference has moved its script.');
  return body;
};
