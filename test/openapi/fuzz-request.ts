import fc from 'fast-check';
import type { OperationObject } from '../../lib/openapi/document.ts';
import { contract, resolved } from '../support/contract.ts';
import { content } from './fuzz-body.ts';
import { authorization, idempotencyKey, mediaType, otherHeaders } from './fuzz-headers.ts';
import type { FuzzTargets } from './fuzz-targets.ts';
import { identifier, query } from './fuzz-url.ts';

/** A request as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

/** Requests for everything that openapi.json has, most of them nearly right. */
export const fuzzRequest = (targets: FuzzTargets): fc.Arbitrary<FuzzRequest> => {
  const operations = Object.entries(contract.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      aimedAt(targets, template, method.toUpperCase(), operation),
    ),
  );
  return fc.oneof({ weight: 9, arbitrary: fc.oneof(...operations) }, astray(targets));
};

const aimedAt = (
  targets: FuzzTargets,
  template: string,
  method: string,
  operation: OperationObject,
) => {
  const parameters = operation.parameters.map(resolved);
  const schemaOf = (name: string) => parameters.find((each) => each.name === name)?.schema ?? {};
  const queryNames = parameters.filter((each) => each.in === 'query').map(({ name }) => name);
  return fc
    .record({
      authorization: authorization(targets),
      path: template.includes('{id}')
        ? identifier(targets, operation, schemaOf('id')).map((id) => template.replace('{id}', id))
        : fc.constant(template),
      query: query(targets, queryNames, schemaOf),
      key: parameters.some(({ name }) => name === 'Idempotency-Key')
        ? idempotencyKey(schemaOf('Idempotency-Key'))
        : fc.constant<string[]>([]),
      content: content(targets, operation),
      type: mediaType,
      beside: otherHeaders,
    })
    .map(
      ({ authorization, path, query, key, content, type, beside }): FuzzRequest => ({
        method,
        url: query.length > 0 ? `${path}?${query.join('&')}` : path,
        headers: {
          ...beside,
          ...(authorization !== null && { Authorization: authorization }),
          ...(key.length > 0 && { 'Idempotency-Key': key }),
          ...(content !== null && type !== null && { 'Content-Type': type }),
        },
        ...(content !== null && { body: content }),
      }),
    );
};

/** Other methods, and paths where nothing is. */
const astray = (targets: FuzzTargets): fc.Arbitrary<FuzzRequest> =>
  fc.record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    url: fc.oneof(
      fc.constantFrom(...Object.keys(contract.paths)).map((path) => path.replace('{id}', 'any')),
      fc.constantFrom(
        '/',
        '/v1',
        '/v1/',
        '//',
        '/v2/sandboxes',
        '/v1/sandboxes/',
        '/V1/sandboxes',
        '/%',
      ),
      fc.webPath().map((path) => `/${path.replace(/^\/+/, '')}`),
    ),
    headers: authorization(targets).map((value) => ({
      ...(value !== null && { Authorization: value }),
    })),
  });
