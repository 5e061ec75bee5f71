import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { documentedHeaders, type Parameter } from '../../functions/contract/operation.ts';
import { Timestamp } from '../../functions/domain/identifiers.ts';
import type { OpenapiDocument, OperationObject } from '../../lib/openapi/document.ts';
import type { Response as Received } from './send-request.ts';

/** The contract that is published: what it does not say of a response, a response must not be. */
export const contract: OpenapiDocument = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
);

/** What of a response the contract speaks about. */
type ReceivedResponse = Pick<Received, 'status' | 'headers' | 'body'>;

/** The part of the contract that a request falls under. */
interface ContractPart {
  /** The path's template; absent where nothing is at the path. */
  readonly template?: string;
  /** Absent where the path does not have the method. */
  readonly operation?: OperationObject;
}

export const contractPartOf = (method: string, url: string): ContractPart => {
  const path = url.split('?')[0] ?? '';
  // A slash at the end is no part of a path to API Gateway.
  const template = Object.keys(contract.paths).find((each) =>
    new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`).test(path),
  );
  if (!template) return {};
  return { template, operation: contract.paths[template]?.[method.toLowerCase()] };
};

/** A parameter of an operation, or the shared one that it refers to. */
export const resolved = (parameter: OperationObject['parameters'][number]): Parameter =>
  '$ref' in parameter ? at(parameter.$ref.slice(1)) : parameter;

/** Everything in which a response is not as the contract says, a sentence each. */
export const deviations = (method: string, url: string, response: ReceivedResponse): string[] => {
  const { template, operation } = contractPartOf(method, url);
  const pointer = responsePointer(method, template, operation, response.status);
  if (!pointer) return [`${method} ${url}: the status ${response.status} is not documented.`];
  const { headers = {}, content = {} } = at<Response>(pointer);
  return [
    ...headerDeviations(headers, pointer, response.headers),
    ...(method === 'HEAD' ? [] : bodyDeviations(content, pointer, response)),
  ].map((deviation) => `${method} ${url}, ${response.status}: ${deviation}`);
};

interface Response {
  readonly headers?: Readonly<Record<string, { $ref?: string }>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

/** What the gateway responds, whether or not there is an operation. */
const gatewayStatuses = [413, 415, 429, 500, 503, 504];

/**
 * Where the contract describes this status. Where there is no operation, the API's response to that
 * is documented with the operations that there are.
 */
const responsePointer = (
  method: string,
  template: string | undefined,
  operation: OperationObject | undefined,
  status: number,
): string | undefined => {
  const missing = template ? 405 : 404;
  const documented = operation
    ? Object.hasOwn(operation.responses, status) && status !== 405
    : [missing, ...gatewayStatuses].includes(status);
  if (!documented) return undefined;
  const path = template ?? Object.keys(contract.paths)[0] ?? '';
  const beside = Object.keys(contract.paths[path] ?? {})[0] ?? '';
  return ['', 'paths', path, operation ? method.toLowerCase() : beside, 'responses', status]
    .map((part) => String(part).replaceAll('/', '~1'))
    .join('/');
};

const headerDeviations = (
  documented: NonNullable<Response['headers']>,
  pointer: string,
  headers: Headers,
): string[] =>
  documentedHeaders.flatMap((name) => {
    const value = headers.get(name);
    const header = documented[name];
    if (!header) return value === null ? [] : [`the header ${name} is not documented.`];
    const where = header.$ref?.slice(1) ?? `${pointer}/headers/${name}`;
    const { required, schema } = at<{ required?: boolean; schema: { type: string } }>(where);
    if (value === null) return required ? [`the header ${name} is missing.`] : [];
    const read = schema.type === 'integer' ? Number(value) : value;
    return failures(`${where}/schema`, read).map((failure) => `the header ${name} ${failure}.`);
  });

const bodyDeviations = (
  content: NonNullable<Response['content']>,
  pointer: string,
  { headers, body }: ReceivedResponse,
): string[] => {
  const type = headers.get('content-type') ?? '';
  if (!Object.hasOwn(content, type)) return [`the media type ${type} is not documented.`];
  const schema = `${pointer}/content/${type.replaceAll('/', '~1')}/schema`;
  return failures(schema, body).map((failure) => `the body ${failure}: ${JSON.stringify(body)}`);
};

/** In which ways a value breaks a schema of the contract, given by its JSON pointer. */
export const failures = (pointer: string, value: unknown): string[] => {
  const validate = validators.get(pointer) ?? compile(pointer);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};

const validators = new Map<string, ValidateFunction>();

const compile = (pointer: string): ValidateFunction => {
  const validate = ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
  validators.set(pointer, validate);
  return validate;
};

const at = <Value>(pointer: string): Value =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, part) => (value as Record<string, unknown>)[part.replaceAll('~1', '/')],
      contract,
    ) as Value;

/** Responses may get new members, but not unnoticed: here a schema allows those that it names. */
const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inside = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, closed(value)]),
  );
  return 'properties' in schema ? { additionalProperties: false, ...inside } : inside;
};

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictTypes: false });
addFormats.default(ajv);
// The milliseconds are not in the document: a pattern beside a format breaks generated clients.
ajv.addFormat('date-time', (value) => Timestamp.safeParse(value).success);
// The document around the schemas, which are themselves held to Ajv's strict mode.
ajv.addVocabulary(Object.keys(contract));
const { schemas, ...components } = contract.components;
ajv.addSchema(
  { ...contract, components: { ...components, schemas: closed(schemas) } } as AnySchema,
  'contract',
  false,
  false,
);
