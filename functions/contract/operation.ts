import type * as z from 'zod/mini';
import type { ProblemCode } from '../domain/problem.ts';
import { responseHeaders } from '../domain/response-headers.ts';
import type { Route, routes } from '../domain/routes.ts';
import type { TableAccess } from './access.ts';
import type { JsonSchema } from './json-schema.ts';
import type { tags } from './tags.ts';

export type OperationId = keyof typeof routes;

/** A Zod schema under a name, with a description of each of its members. */
export interface DescribedSchema {
  /** Its name in `components.schemas`. */
  readonly name: string;
  readonly schema: z.ZodMiniType;
  /** By dotted path; the empty path is the schema itself. */
  readonly descriptions: Readonly<Record<string, string>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A Link Object: a request that a response makes possible. */
export interface Link {
  readonly operationId: OperationId;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A request of an operation, without the token and the key of its sender. */
export interface OperationRequest {
  /** The identifier in the path. */
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The path and the query of a request. */
export const pathOf = (
  { path }: Pick<Route, 'path'>,
  { id = '', query = {} }: OperationRequest,
): string => {
  const parameters = new URLSearchParams(query);
  return `${path.replace('{id}', id)}${parameters.size > 0 ? `?${parameters}` : ''}`;
};

/** The headers of responses that the document describes, besides the media type. */
export const documentedHeaders: readonly string[] = [
  'Request-Id',
  ...Object.keys(responseHeaders),
  'Idempotent-Replayed',
  'Retry-After',
  'WWW-Authenticate',
  'Allow',
];

/**
 * The contract of an operation: what its function may do with the table, what the document says of
 * it, and its well-formed requests. A request is a function of its target: the demo data in the
 * examples, what a test has made, or what does not exist.
 */
// biome-ignore lint/suspicious/noExplicitAny: targets differ from operation to operation.
export interface Operation<Target = any> {
  readonly access: TableAccess;
  /** The client's method, which the samples call. */
  readonly clientMethod: 'approve' | 'createSandbox' | 'resendOffer' | 'sandboxes';
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** Those in the path and the query; every POST takes an Idempotency-Key too. */
  readonly parameters: readonly Parameter[];
  readonly body?: DescribedSchema;
  readonly response: DescribedSchema;
  readonly success: string;
  readonly links: Readonly<Record<string, Link>>;
  readonly request: (target: Target) => OperationRequest;
  /** The problems that only this operation returns, each with a demo target that causes it. */
  readonly problems: Readonly<Partial<Record<ProblemCode, Target | null>>>;
  readonly examples: {
    /** The name of the example of its success. */
    readonly name: string;
    /** With the demo data, its request succeeds. */
    readonly target: Target;
    /** Further successes by name, made from the body of the first. */
    // biome-ignore lint/suspicious/noExplicitAny: bodies differ from operation to operation.
    readonly further?: Readonly<Record<string, (first: any) => Target>>;
    /** Faults, in place of what the request has there. */
    readonly faulty: OperationRequest;
    /** For a POST: the key of the first success, and another target, which must not reuse it. */
    readonly keyed?: { readonly key: string; readonly different: Target };
  };
}
