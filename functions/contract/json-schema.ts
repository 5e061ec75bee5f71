import * as z from 'zod/mini';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A domain schema as JSON Schema, in the words that a client would use. */
export const jsonSchema = (schema: z.ZodMiniType): JsonSchema => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { override: simplify });
  return json;
};

/** Leaves out what says nothing to a client. */
export const simplify: z.core.ToJSONSchemaParams['override'] = ({ zodSchema, jsonSchema }) => {
  const { type, catchall } = zodSchema._zod.def as z.core.$ZodObjectDef;
  // Responses may get members that older clients do not know; only what is strict about input is
  // closed.
  if (type === 'object' && !catchall) delete jsonSchema.additionalProperties;
  // The pattern of a known format takes half a page to say what the format's name says.
  if (jsonSchema.format) {
    delete jsonSchema.pattern;
    delete jsonSchema.not;
  }
  if (Number.isInteger(jsonSchema.const)) jsonSchema.type = 'integer';
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};
