import { inspect } from 'node:util';
import type { PaymentsClient } from 'workforce-payments-client';
import type { OperationId } from '../../functions/contract/operation.ts';
import { sharedParameters } from '../../functions/contract/parameters.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { guideLink } from './anchors.ts';
import { successesOf } from './examples.ts';
import { operations } from './operations.ts';

/** What samples name in place of an installation's API and of a token. */
export const sampleUrl = 'https://api.example.com';
/** Stands in samples where the reader puts an access token. */
export const sampleToken = '<ACCESS_TOKEN>';

/** Until a release has published the client on npm. */
export const installClient = `# in a clone of the service
npm pack --workspace lib/client --pack-destination /tmp
# in your project
npm install /tmp/workforce-payments-client-*.tgz`;

/** The page's menu of languages, each of which selects the samples of its `lang`. */
export const sampleLanguages = [
  {
    lang: 'TypeScript',
    description: `The samples use the ${guideLink('TypeScript client')}.`,
    source: installClient,
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
  const body = bodyOf(operation);
  const given = [...Object.values(idsOf(operation)), ...(body ? [body] : [])];
  const { clientMethod, parameters } = operations[operation];
  const method: keyof PaymentsClient = clientMethod;
  const call = `client.${method}(${given.map((each) => inspect(each)).join(', ')})`;
  const isList = parameters.some(({ name }) => name === 'cursor');
  return `import { paymentsClient } from 'workforce-payments-client';

const client = paymentsClient({
  baseUrl: '${sampleUrl}',
  token: '${sampleToken}'
});
${isList ? `for await (const each of ${call}) console.log(each);` : `console.log(await ${call});`}
`;
};

const idsOf = (operation: OperationId) =>
  Object.fromEntries(
    operations[operation].parameters
      .filter((parameter) => parameter.required)
      .map(({ name, example }) => [name, example]),
  );

const bodyOf = (operation: OperationId): object | undefined =>
  successesOf(operation)[0]?.request.body as object | undefined;
