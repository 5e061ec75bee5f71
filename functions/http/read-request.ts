import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { bodyLimit, bodyLimitBytes } from '../domain/body-limit.ts';
import type { Caller } from '../domain/caller.ts';
import { entityTags } from '../domain/entity-tags.ts';
import { repeatedMembers } from '../domain/exact-json.ts';
import { faultsOf, faulty, inBody, inQuery } from '../domain/faults.ts';
import {
  bareKey,
  idempotencyKeyForm,
  idempotencyKeyPattern,
  isJoined,
} from '../domain/idempotency-key.ts';
import { type Fault, Problem } from '../domain/problem.ts';
import type { Route } from '../domain/routes.ts';
import { withCommas } from '../domain/text.ts';
import { type Intent, newIntent } from '../idempotency/intent.ts';

/** A request that has been read and found well-formed. */
export interface Request<Body, Query> {
  /** The `{id}` of the path, as it was sent; empty where the path has none. */
  readonly id: string;
  readonly body: Body;
  readonly query: Query;
  /** The entity tags of If-Match, sorted, if it was sent and the endpoint reads it. */
  readonly ifMatch: readonly string[] | undefined;
  readonly caller: Caller;
}

/** What an endpoint takes; without a schema, nothing. */
export interface Schemas<Body, Query> {
  readonly body?: z.ZodMiniType<Body>;
  readonly query?: z.ZodMiniType<Query>;
  /** Whether it reads If-Match, which other endpoints ignore. */
  readonly ifMatch?: true;
}

const nothing = z.strictObject({});

/**
 * Reads the whole request before it reports a fault, so that the response names every one.
 *
 * @throws Problem of status 400, 413 or 415
 */
export const readRequest = <Body, Query>(
  event: APIGatewayProxyEvent,
  caller: Caller,
  route: Route,
  schemas: Schemas<Body, Query>,
): { request: Request<Body, Query>; intent: Intent | undefined } => {
  const faults: Fault[] = [];
  const body = readBody(event, schemas.body ?? nothing, faults);
  const query = readQuery(event, schemas.query ?? nothing, faults);
  const key = route.method === 'POST' ? readIdempotencyKey(event, faults) : undefined;
  const ifMatch = schemas.ifMatch && readIfMatch(event, faults);
  if (faults.length > 0) throw faulty(faults);
  const { pathParameters } = event;
  const { workspace } = caller;
  const intent =
    key === undefined
      ? undefined
      : newIntent({ workspace, endpoint: route.functionName, key }, [
          pathParameters,
          body,
          ...(ifMatch ? [ifMatch] : []),
        ]);
  const id = pathParameters?.id ?? '';
  // Without a fault both have been read.
  return { request: { id, body: body as Body, query: query as Query, ifMatch, caller }, intent };
};

const readBody = (event: APIGatewayProxyEvent, schema: z.ZodMiniType, faults: Fault[]): unknown => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > bodyLimitBytes) {
    throw new Problem(
      'body_too_large',
      `The body has ${withCommas(bytes.length)} bytes. The maximum is ${bodyLimit}.`,
    );
  }
  if (bytes.length > 0) requireJson(event);
  const input = parseJson(bytes, faults);
  if (input === undefined) return undefined;
  const result = schema.safeParse(input);
  if (!result.success) faults.push(...faultsOf(result.error, input, inBody));
  return result.data;
};

const requireJson = (event: APIGatewayProxyEvent): void => {
  const coding = headerValues(event, 'content-encoding').join(', ');
  if (coding.split(/[ ,]+/).some((each) => !/^(identity)?$/i.test(each))) {
    throw new Problem(
      'unsupported_media_type',
      `Send the body without Content-Encoding: ${coding}.`,
    );
  }
  const [mediaType = ''] = (headerValues(event, 'content-type')[0] ?? '').split(';');
  if (!/^application\/([\w.-]+\+)?json$/i.test(mediaType.trim())) {
    throw new Problem('unsupported_media_type', 'Send the header Content-Type: application/json.');
  }
};

/** No body reads as an empty object, so that the response names each missing field. */
const parseJson = (bytes: Buffer, faults: Fault[]): unknown => {
  if (bytes.length === 0) return {};
  let text: string;
  let input: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    input = JSON.parse(text);
  } catch {
    faults.push({ pointer: '', code: 'malformed_json', detail: 'Must be JSON in UTF-8.' });
    return undefined;
  }
  for (const path of repeatedMembers(text)) {
    faults.push({ ...inBody(path), ...repeatedFault });
  }
  return input;
};

const repeatedFault = { code: 'repeated', detail: 'Must be given at most once.' } as const;

const readQuery = (
  event: APIGatewayProxyEvent,
  schema: z.ZodMiniType,
  faults: Fault[],
): unknown => {
  const entries = Object.entries(event.multiValueQueryStringParameters ?? {});
  for (const [parameter, values = []] of entries) {
    if (values.length > 1) faults.push({ parameter, ...repeatedFault });
  }
  const input = Object.fromEntries(entries.map(([name, values = []]) => [name, values[0]]));
  const result = schema.safeParse(input);
  if (!result.success) faults.push(...faultsOf(result.error, input, inQuery));
  return result.data;
};

const readIdempotencyKey = (event: APIGatewayProxyEvent, faults: Fault[]): string | undefined => {
  const values = headerValues(event, 'idempotency-key');
  if (values.length === 0) return undefined;
  const key = bareKey(values[0] ?? '');
  const isOne = values.length === 1 && idempotencyKeyPattern.test(key);
  if (!isOne || isJoined(key)) {
    faults.push({
      header: 'Idempotency-Key',
      code: 'invalid_idempotency_key',
      detail: `Must be given once, with ${idempotencyKeyForm}.`,
    });
  }
  return key;
};

/** It is none of the headers that API Gateway remaps ("Amazon API Gateway important notes"). */
const readIfMatch = (event: APIGatewayProxyEvent, faults: Fault[]): string[] | undefined => {
  const values = headerValues(event, 'if-match');
  if (values.length === 0) return undefined;
  const tags = entityTags(values.join(','));
  if (!tags) {
    faults.push({
      header: 'If-Match',
      code: 'invalid_format',
      detail: 'Must be versions in double quotes, such as "6", "7"; or *.',
    });
  }
  return tags;
};

const headerValues = (event: APIGatewayProxyEvent, name: string): string[] =>
  Object.entries(event.multiValueHeaders ?? event.headers ?? {}).flatMap(([header, values]) =>
    header.toLowerCase() === name ? (values ?? []) : [],
  );
