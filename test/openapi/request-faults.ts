import { joinedKeysPattern } from '../../functions/domain/idempotency-key.ts';
import type { OperationObject } from '../../lib/openapi/document.ts';
import { contractPartOf, failures } from '../support/contract.ts';
import type { FuzzRequest } from './fuzz-request.ts';

/**
 * Returns the ways in which a request for an operation does not conform to openapi.json, except for
 * its token and its path, which are looked up. It includes rules that the document states in prose,
 * such as that names are trimmed.
 */
export const requestFaults = (request: FuzzRequest): string[] => {
  const { template = '', operation } = contractPartOf(request.method, request.url);
  if (!operation) return [];
  const at = `/paths/${template.replaceAll('/', '~1')}/${request.method.toLowerCase()}`;
  return [
    ...queryFaults(request, operation, at),
    ...keyFaults(request, operation),
    ...bodyFaults(request, operation, at),
  ];
};

const queryFaults = (
  { url }: FuzzRequest,
  { parameters }: OperationObject,
  at: string,
): string[] => {
  const query = new URLSearchParams(url.split('?').slice(1).join('?'));
  return [...new Set(query.keys())].flatMap((name) => {
    const index = parameters.findIndex(
      (each) => 'in' in each && each.in === 'query' && each.name === name,
    );
    if (index < 0) return [`${name} is not a parameter`];
    const [value = '', ...more] = query.getAll(name);
    if (more.length > 0) return [`${name} is repeated`];
    const read = String(Number(value)) === value ? Number(value) : value;
    const fits = [read, value].some(
      (each) => failures(`${at}/parameters/${index}/schema`, each).length === 0,
    );
    return fits ? [] : [`${name} cannot be ${value}`];
  });
};

const keyFaults = ({ headers }: FuzzRequest, { parameters }: OperationObject): string[] => {
  const key = headers['Idempotency-Key'];
  if (key === undefined || !parameters.some((each) => '$ref' in each)) return [];
  const [first = '', ...more] = [key].flat();
  const bare = first.replace(/^"(.+)"$/, '$1');
  const fits =
    failures('/components/parameters/IdempotencyKey/schema', bare).length === 0 &&
    !joinedKeysPattern.test(bare);
  return fits && more.length === 0 ? [] : ['the key is not one'];
};

const bodyFaults = (
  { headers, body = '' }: FuzzRequest,
  { requestBody }: OperationObject,
  at: string,
): string[] => {
  if (body === '') return requestBody ? ['there is no body'] : [];
  const type = String(headers['Content-Type']).split(';')[0]?.trim() ?? '';
  if (!/^application\/([\w.-]+\+)?json$/i.test(type)) return [`the media type is ${type}`];
  if (Buffer.byteLength(body) > 65_536) return ['the body is too large'];
  try {
    const read = JSON.parse(body);
    if (!requestBody) return body.trim() === '{}' ? [] : ['there is a body'];
    if (/"(\w+)":.*"\1":/s.test(body)) return ['a member is repeated'];
    // JSON.stringify writes half of a surrogate pair, and no other character, like this.
    if (/\\ud[89a-f]/.test(JSON.stringify(read))) return ['a text is not well-formed'];
    const trimmed = typeof read?.name === 'string' ? { ...read, name: read.name.trim() } : read;
    return failures(`${at}/requestBody/content/application~1json/schema`, trimmed);
  } catch {
    return ['the body is not JSON'];
  }
};

/** The codes of an answer that calls the request itself wrong, whatever it was for. */
export const callsItWrong = new Set([
  'invalid_request',
  'invalid_idempotency_key',
  'body_too_large',
  'unsupported_media_type',
]);

/** The operation that a request is for, by name. */
export const operationOf = ({ method, url }: FuzzRequest): string =>
  contractPartOf(method, url).operation?.operationId ?? 'none';
