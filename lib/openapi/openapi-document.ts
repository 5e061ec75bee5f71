import type { Link, Parameter } from './operation.ts';

/** What is read in openapi.json. */
export interface OpenapiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An Operation Object: an operation of the document. */
export interface OperationObject {
  readonly operationId: string;
  readonly parameters: readonly (ParameterObject | { readonly $ref: string })[];
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<
        string,
        {
          readonly schema: object;
          readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
        }
      >
    >;
  };
  readonly responses: Readonly<Record<string, { readonly links?: Readonly<Record<string, Link>> }>>;
}

/** A Parameter Object: a parameter of an operation. */
export interface ParameterObject extends Omit<Parameter, 'schema'> {
  readonly schema: Schema;
}

/** A JSON Schema, as far as it is read here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}
