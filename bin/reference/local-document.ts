import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { demo } from '../demo-data.ts';

/** The contract as `npm run openapi` wrote it. */
export const contract = () =>
  JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

/**
 * The contract, to be tried at the page's own origin. Each demo token is a security scheme, so that the
 * page offers them by name, filled in.
 */
export const localDocument = () => {
  const document = contract();
  const { securitySchemes } = document.components;
  const [[scheme = '', definition] = []] = Object.entries<object>(securitySchemes);
  const tokens = Object.entries(demo.tokens).map(
    ([name, token]) => [name.replace('_', ' '), token] as const,
  );
  const offered = (security: Record<string, string[]>[]) =>
    tokens.flatMap(([name]) => security.map((each) => ({ [name]: each[scheme] })));
  return JSON.parse(
    JSON.stringify({
      ...document,
      servers: [{ url: '/', description: 'This local run' }],
      components: {
        ...document.components,
        securitySchemes: Object.fromEntries(
          tokens.map(([name, token]) => [name, { ...definition, 'x-scalar-secret-token': token }]),
        ),
      },
    }),
    (key, value) => (key === 'security' ? offered(value) : value),
  );
};
