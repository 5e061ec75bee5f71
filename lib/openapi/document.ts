import type { OperationId } from '../../functions/contract/operation.ts';
import { sharedParameters } from '../../functions/contract/parameters.ts';
import { tags } from '../../functions/contract/tags.ts';
import { bodyLimit } from '../../functions/domain/body-limit.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { tokenPrefix, tokenSecretLength } from '../../functions/domain/token-form.ts';
import manifest from '../../package.json' with { type: 'json' };
import { guideLink } from './anchors.ts';
import { successesOf } from './examples.ts';
import { documentationTags } from './guides.ts';
import { operationIds, operations } from './operations.ts';
import { withPortablePatterns } from './portable-patterns.ts';
import { responsesOf, sharedHeaders } from './responses.ts';
import { sampleLanguages, samplesOf, sampleUrl } from './samples.ts';
import { schemaRef, schemas } from './schemas.ts';
import { eventTag, webhooks } from './webhooks.ts';

const overview = `Managers approve workers' payment requests, live workspaces create and list sandboxes, and sent offers are sent again by e-mail.

Start with ${guideLink('Authentication')} and ${guideLink('Idempotent retries')}.`;

const describeAll = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Workforce Payments',
    version: manifest.version,
    summary: 'Approvals, sandboxes and offers',
    description: overview,
    contact: { name: 'The operator of your installation' },
    // Scalar's own extension: without it, its page lists languages in which there is no sample of
    // ours.
    'x-scalar-sdk-installation': sampleLanguages,
    license: { name: manifest.license, identifier: manifest.license },
  },
  servers: [
    {
      url: 'https://{domain}',
      description: 'Production',
      variables: {
        domain: {
          default: new URL(sampleUrl).host,
          description: "The domain of the stack's output `ApiUrl`",
        },
      },
    },
    { url: 'http://127.0.0.1:3000', description: 'The local run (`npm start`)' },
  ],
  tags: [
    ...documentationTags.guides,
    ...Object.entries({ ...tags, ...eventTag }).map(([name, description]) => ({
      name,
      description,
    })),
    ...documentationTags.codes,
  ],
  'x-tagGroups': [
    { name: 'Guides', tags: documentationTags.guides.map(({ name }) => name) },
    { name: 'Operations', tags: Object.keys(tags) },
    { name: 'Webhooks', tags: Object.keys(eventTag) },
    { name: 'Error codes', tags: documentationTags.codes.map(({ name }) => name) },
  ],
  paths: paths(),
  webhooks: webhooks(),
  components: {
    schemas: schemas(),
    parameters: sharedParameters,
    headers: sharedHeaders,
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: `${tokenPrefix}(live|test)_ and ${tokenSecretLength} characters`,
        description: `An access token of a workspace. Scopes: ${operationIds
          .map((operation) => `\`${routes[operation].scope}\``)
          .join(', ')}.`,
      },
    },
  },
});

/** The public contract in OpenAPI 3.1, generated from the schemas, routes and problems. */
export const openapiDocument = () => withPortablePatterns(describeAll());

/** What openapi.json holds. */
export type OpenapiDocument = ReturnType<typeof openapiDocument>;

const paths = () => {
  const all: Record<string, Record<string, OperationObject>> = {};
  for (const operation of operationIds) {
    const { path, method }: Route = routes[operation];
    all[path] = { ...all[path], [method.toLowerCase()]: describeOperation(operation) };
  }
  return all;
};

const describeOperation = (operation: OperationId) => {
  const { method, scope, workspaces }: Route = routes[operation];
  const { tag, summary, description, parameters, body } = operations[operation];
  const needs = `Scope: \`${scope}\`${workspaces === 'live' ? ', with the token of a live workspace' : ''}.`;
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: `${description}\n\n${needs}`,
    security: [{ accessToken: [scope] }],
    parameters: [
      ...parameters,
      ...(method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: {
        required: true,
        description: `The maximum is ${bodyLimit}. A media type with the suffix \`+json\` is accepted too; a content coding, such as gzip, is not.`,
        content: {
          'application/json': {
            schema: schemaRef(body.name),
            examples: Object.fromEntries(
              successesOf(operation).map(({ name, request }) => [name, { value: request.body }]),
            ),
          },
        },
      },
    }),
    responses: responsesOf(operation),
    'x-codeSamples': samplesOf(operation),
  };
};

/** An Operation Object: an operation of the document. */
export type OperationObject = ReturnType<typeof describeOperation>;
