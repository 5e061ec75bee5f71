import type * as z from 'zod/mini';
import type { ProblemCode } from '../../functions/domain/problem.ts';
import type { Route, routes } from '../../functions/domain/routes.ts';
import type { JsonSchema } from './json-schema.ts';
import type { tags } from './tags.ts';

/** The `operationId` of an operation. */
export type OperationId = keyof typeof routes;

/** A Zod schema under a name, with a description of each of its members. */
export interface DescribedSchema {
  /** Its name in `components.schemas`. */
  readonly name: string;
  readonly schema: z.ZodMiniType;
  /** By dotted path; the empty path is the schema itself. */
  readonly descriptions: Readonly<Record<string, string>>;
}

/** A Parameter Object. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A Link Object: a request that an answer makes possible. */
export interface Link {
  readonly operationId: OperationId;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** A request to record, by what differs from the operation's `request`. */
export interface Ask {
  readonly path?: string;
  readonly method?: Route['method'] | 'DELETE';
  /** Null sends none. */
  readonly token?: string | null;
  readonly key?: string;
  readonly body?: unknown;
  /** Sent in place of the body, and not recorded. */
  readonly raw?: string;
  readonly contentType?: string;
}

/** What the document says of an operation, and the requests by which its examples are recorded. */
export interface Operation {
  readonly tag: keyof typeof tags;
  readonly summary: string;
  readonly description: string;
  /** Those in the path and the query; every POST takes an Idempotency-Key too. */
  readonly parameters: readonly Parameter[];
  /** The body of a request, if it has one. */
  readonly body?: DescribedSchema;
  readonly answer: DescribedSchema;
  /** What a success means. */
  readonly success: string;
  readonly links: Readonly<Record<string, Link>>;
  /** The problems that only this operation returns, each with a request that causes it. */
  readonly problems: Readonly<Partial<Record<ProblemCode, Ask>>>;
  readonly examples: {
    /** The request that succeeds with the demo data. */
    readonly request: Ask;
    /** The name of the example of its success. */
    readonly name: string;
    /** Further successes by name, made from the body of the first. */
    // biome-ignore lint/suspicious/noExplicitAny: bodies differ from operation to operation.
    readonly further?: Readonly<Record<string, (first: any) => Ask>>;
    /** A request with faults. */
    readonly faulty: Ask;
    /** For a POST: the key of the first success, and another request, which must not reuse it. */
    readonly keyed?: { readonly key: string; readonly different: Ask };
  };
}
