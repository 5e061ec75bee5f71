import type { Operation, OperationId } from '../../functions/contract/operation.ts';
import {
  type ProblemCode,
  type ProblemDefinition,
  problems,
} from '../../functions/domain/problem.ts';
import { responseHeaders } from '../../functions/domain/response-headers.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { type Exchange, problemExample, successesOf } from './examples.ts';
import { allowedMethods, methodsEverywhere } from './methods.ts';
import { operations, problemsOf } from './operations.ts';
import { schemaRef } from './schemas.ts';

/** A Response Object, as far as it is read. */
interface DescribedResponse {
  readonly description: string;
  readonly links?: Operation['links'];
}

/** The responses of an operation by status: its success, then its problems. */
export const responsesOf = (operation: OperationId): Record<string, DescribedResponse> => {
  const codes = problemsOf(operation);
  const statuses = [...new Set(codes.map((code) => problems[code].status))];
  return {
    [routes[operation].status]: success(operation),
    ...Object.fromEntries(
      statuses.map((status) => [
        status,
        failure(
          operation,
          codes.filter((code) => problems[code].status === status),
        ),
      ]),
    ),
  };
};

const success = (operation: OperationId) => ({
  description: operations[operation].success,
  headers: {
    ...everyResponse,
    ...(routes[operation].method === 'POST' && {
      'Idempotent-Replayed': headerRef('IdempotentReplayed'),
    }),
  },
  content: {
    'application/json': {
      schema: schemaRef(operations[operation].response.name),
      examples: examplesOf(successesOf(operation)),
    },
  },
  links: operations[operation].links,
});

const failure = (operation: OperationId, codes: readonly ProblemCode[]) => {
  const { path }: Route = routes[operation];
  const status = problems[codes[0] as ProblemCode].status;
  const waits = codes.filter((code) => (problems[code] as ProblemDefinition).retryAfterS);
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}.`).join('\n\n'),
    headers: {
      ...everyResponse,
      ...(status === 401 && { 'WWW-Authenticate': headerRef('WWWAuthenticate') }),
      ...(status === 405 && {
        Allow: {
          description:
            'The methods of this path. For a body of an unknown media type, the methods that all paths have.',
          required: true,
          schema: {
            type: 'string',
            enum: [...new Set([allowedMethods(path), methodsEverywhere()])],
          },
        },
      }),
      ...(waits.length > 0 && {
        'Retry-After':
          waits.length === codes.length
            ? headerRef('RetryAfter')
            : { ...sharedHeaders.RetryAfter, required: false },
      }),
    },
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            schemaRef('Problem'),
            {
              type: 'object',
              properties: {
                status: { type: 'integer', enum: [status] },
                code: { type: 'string', enum: codes },
              },
            },
          ],
        },
        examples: examplesOf(codes.map((code) => problemExample(operation, code))),
      },
    },
  };
};

const examplesOf = (all: readonly Exchange[]) =>
  Object.fromEntries(all.map(({ name, response }) => [name, { value: response.body }]));

const headerRef = (name: keyof typeof sharedHeaders) => ({ $ref: `#/components/headers/${name}` });

/** `components.headers` of the document. */
export const sharedHeaders = {
  RequestId: {
    description: 'Identifies the request. Quote it to support.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w-]{8,}$' },
  },
  IdempotentReplayed: {
    description: 'Present when the response is that of an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  CacheControl: {
    description: 'Responses contain personal data and must not be cached.',
    required: true,
    schema: { type: 'string', const: responseHeaders['Cache-Control'] },
  },
  StrictTransportSecurity: {
    description: 'The service responds over TLS only.',
    required: true,
    schema: { type: 'string', const: responseHeaders['Strict-Transport-Security'] },
  },
  XContentTypeOptions: {
    description: 'Clients must not guess a media type other than `Content-Type`.',
    required: true,
    schema: { type: 'string', const: responseHeaders['X-Content-Type-Options'] },
  },
  RetryAfter: {
    description: 'Seconds after which to send the request again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  WWWAuthenticate: {
    description: 'The authentication scheme.',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
} as const;

const everyResponse = {
  'Request-Id': headerRef('RequestId'),
  'Cache-Control': headerRef('CacheControl'),
  'Strict-Transport-Security': headerRef('StrictTransportSecurity'),
  'X-Content-Type-Options': headerRef('XContentTypeOptions'),
};
