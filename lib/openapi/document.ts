import { type Route, routes } from '../../functions/domain/routes.ts';
import manifest from '../../package.json' with { type: 'json' };
import { successesOf } from './examples.ts';
import { type OperationId, operationIds, prose, tags } from './operations.ts';
import { parametersOf, sharedParameters } from './parameters.ts';
import { responsesOf, sharedHeaders } from './responses.ts';
import { schemaRef, schemas } from './schemas.ts';

const overview = `Managers approve workers' payment requests, live workspaces create and list sandboxes, and sent offers are sent again by e-mail.

**Authentication.** Every request carries \`Authorization: Bearer <ACCESS_TOKEN>\`. A token belongs to one workspace, live (\`wfp_live_…\`) or test (\`wfp_test_…\`), and has scopes; each operation names the one that it needs.

**Errors** are problem details (RFC 9457, \`application/problem+json\`) with a stable \`code\`. A request with several faults is told all of them at once.

**Retries.** Every POST takes an \`Idempotency-Key\`, and with one can always be sent again: it takes effect once. An answer with \`Retry-After\` says that the request had no effect; send it again after that time, with or without a key. After any other answer of 500 or more (\`outcome_unknown\`, \`internal_error\`), or none at all, a POST may have taken effect: send it again with the same key. Without a key check first whether it did, then decide: \`GET /v1/sandboxes\` lists a new sandbox, an approval shows in the payment request, a resend in the recipient's mailbox.

**Changes.** The version is part of the path. Within a version answers may get members, and their lists of values may grow: ignore what you do not know. Requests are read strictly: what is not documented is refused.`;

/** Bodies that a request has, by the name of their schema. */
const bodies: Partial<Record<OperationId, string>> = {
  approvePaymentRequest: 'ApprovePaymentRequest',
  createSandbox: 'CreateSandbox',
};

/** The public contract as an OpenAPI 3.1 document: the same schemas, routes and problems, in words. */
export const openapiDocument = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Workforce Payments',
    version: manifest.version,
    summary: 'Approvals, sandboxes and offers',
    description: overview,
    license: { name: manifest.license, identifier: manifest.license },
  },
  servers: [
    {
      url: '{base_url}',
      description: 'Where the service is deployed, or runs on your machine',
      variables: {
        base_url: {
          default: 'http://127.0.0.1:3000',
          description:
            "The stack's output `ApiUrl`, without the slash at its end; here that of `npm start`",
        },
      },
    },
  ],
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: paths(),
  components: {
    schemas: schemas(),
    parameters: sharedParameters,
    headers: sharedHeaders,
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'wfp_(live|test)_ and 43 characters',
        description: `An access token of a workspace. Scopes: ${operationIds
          .map((operation) => `\`${routes[operation].scope}\``)
          .join(', ')}.`,
      },
    },
  },
});

const paths = () => {
  const all: Record<string, Record<string, object>> = {};
  for (const operation of operationIds) {
    const { path, method }: Route = routes[operation];
    all[path] = { ...all[path], [method.toLowerCase()]: describeOperation(operation) };
  }
  return all;
};

const describeOperation = (operation: OperationId) => {
  const { scope, workspaces }: Route = routes[operation];
  const { tag, summary, description } = prose[operation];
  const body = bodies[operation];
  const needs = `Scope: \`${scope}\`${workspaces === 'live' ? ', with the token of a live workspace' : ''}.`;
  return {
    operationId: operation,
    tags: [tag],
    summary,
    description: `${description}\n\n${needs}`,
    security: [{ accessToken: [scope] }],
    parameters: parametersOf(operation),
    ...(body && {
      requestBody: {
        required: true,
        description: 'At most 64 KiB.',
        content: {
          'application/json': {
            schema: schemaRef(body),
            examples: Object.fromEntries(
              successesOf(operation).map(({ name, request }) => [name, { value: request.body }]),
            ),
          },
        },
      },
    }),
    responses: responsesOf(operation),
  };
};
