import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import fastify from 'fastify';
import { demo } from '../../functions/contract/demo.ts';
import { sampleUrl } from '../../lib/openapi/samples.ts';

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8');

/**
 * The files of the reference page by name: those of `page`, the contract, and Scalar's script.
 *
 * @param url where the page is served, which forwards requests to the API
 */
export const pageFiles = async (url: string): Promise<Record<string, string>> => {
  const contract = JSON.parse(read('../../openapi.json').replaceAll(sampleUrl, url));
  const tokens = Object.entries(demo.tokens).map(
    ([name, token]) => `<option value="${token}">${name.replace('_', ' ')}</option>`,
  );
  const names = readdirSync(join(import.meta.dirname, 'page'));
  return {
    ...Object.fromEntries(names.map((name) => [name, read('page', name)])),
    'index.html': read('page/index.html').replace('<!-- tokens -->', tokens.join('')),
    'openapi.json': JSON.stringify({ ...contract, servers: [{ url }] }),
    'scalar.js': await scalarScript(),
  };
};

/** Scalar's page as one script. The package holds it as text, and gives it to a server alone. */
const scalarScript = async (): Promise<string> => {
  const server = fastify().register(scalar, { configuration: { url: 'openapi.json' } });
  const { statusCode, body } = await server.inject('/reference/js/scalar.js');
  if (statusCode !== 200) throw new Error('@scalar/fastify-api-reference has moved its script.');
  return body;
};
