import { inspect } from 'node:util';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { guideLink } from './anchors.ts';
import { successesOf } from './examples.ts';
import type { OperationId } from './operation.ts';
import { operations } from './operations.ts';
import { sharedParameters } from './parameters.ts';

/** What samples name in place of an installation's API and of a token. */
export const sampleUrl = 'https://api.example.com';
/** Stands in samples where the reader puts an access token. */
export const sampleToken = '<ACCESS_TOKEN>';

/** The page's menu of languages, each of which selects the samples of its `lang`. */
export const sampleLanguages = [
  {
    lang: 'TypeScript',
    description: `Save the two files of the ${guideLink('TypeScript client')} beside your program, and install their one dependency.`,
    source: 'npm install openapi-fetch',
  },
  { lang: 'Shell', description: 'The samples use `curl`.' },
];

/** Whole programs that send the request of an operation: its required examples, and a key. */
export const samplesOf = (operation: OperationId) => [
  { lang: 'typescript', label: 'TypeScript', source: typescript(operation) },
  { lang: 'shell', label: 'curl', source: curl(operation) },
];

const curl = (operation: OperationId): string => {
  const { method, path }: Route = routes[operation];
  const { name, example } = sharedParameters.IdempotencyKey;
  const url = Object.entries(idsOf(operation)).reduce(
    (filled, [id, value]) => filled.replace(`{${id}}`, String(value)),
    `${sampleUrl}${path}`,
  );
  const body = bodyOf(operation);
  return [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} '${url}'`,
    `-H 'Authorization: Bearer ${sampleToken}'`,
    ...(method === 'POST' ? [`-H '${name}: ${example}'`] : []),
    ...(body
      ? [
          `-H 'Content-Type: application/json'`,
          `-d '${JSON.stringify(body).replaceAll("'", String.raw`'\''`)}'`,
        ]
      : []),
  ].join(' \\\n  ');
};

const typescript = (operation: OperationId): string => {
  const { method, path }: Route = routes[operation];
  const ids = idsOf(operation);
  const params = {
    ...(Object.keys(ids).length > 0 && { path: ids }),
    ...(method === 'POST' && { header: { [sharedParameters.IdempotencyKey.name]: newKey } }),
  };
  const body = bodyOf(operation);
  const options = { ...(Object.keys(params).length > 0 && { params }), ...(body && { body }) };
  const words = [`'${path}'`, ...(Object.keys(options).length > 0 ? [inspect(options)] : [])];
  return `import { paymentsClient } from './payments-client.ts';

const client = paymentsClient('${sampleUrl}', '${sampleToken}');
const { data, error, response } = await client.${method}(${words.join(', ')});
if (error) throw new Error(\`\${error.code}: \${error.detail}\`);
console.log(response.status, data);
`;
};

/** A program, unlike a command that is copied, can make a key for each intent. */
const newKey = { [inspect.custom]: () => 'crypto.randomUUID()' };

const idsOf = (operation: OperationId) =>
  Object.fromEntries(
    operations[operation].parameters
      .filter((parameter) => parameter.required)
      .map(({ name, example }) => [name, example]),
  );

const bodyOf = (operation: OperationId): object | undefined =>
  successesOf(operation)[0]?.request.body as object | undefined;
