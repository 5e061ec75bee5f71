import * as z from 'zod/mini';
import { DeliveryAttempt, Offer, type PresentedOffer } from '../../functions/domain/offer.ts';
import {
  ApprovePaymentRequest,
  StoredPaymentRequest,
} from '../../functions/domain/payment-request.ts';
import { CreateSandbox, Sandbox } from '../../functions/domain/sandbox.ts';
import { descriptions } from './descriptions.ts';
import { problemSchema } from './problem-schema.ts';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const SandboxList = z.object({
  sandboxes: z.array(Sandbox).check(z.maxLength(100)),
  cursor: z.optional(z.string()),
});

const { attempts, created, updated, ...offer } = Offer.shape;
const OfferSchema: z.ZodMiniType<PresentedOffer> = z.object({
  ...offer,
  delivery: z.object({
    attempts,
    last_attempt: z.nullable(
      z.pick(DeliveryAttempt, { id: true, status: true, reason: true, created: true }),
    ),
  }),
  created,
  updated,
});

const components = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries({
  // What is answered may have been accepted when less was refused.
  PaymentRequest: StoredPaymentRequest,
  ApprovePaymentRequest,
  Sandbox,
  CreateSandbox,
  SandboxList,
  Offer: OfferSchema,
})) {
  components.add(schema, { id });
}

/** A domain schema as JSON Schema, in the words that a client would use. */
export const jsonSchema = (schema: z.ZodMiniType): JsonSchema => {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { override: simplify });
  return json;
};

/** A reference to one of the document's schemas. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `components.schemas` of the document. */
export const schemas = (): Record<string, JsonSchema> => {
  const all = z.toJSONSchema(components, {
    uri: (id) => schemaRef(id).$ref,
    override: simplify,
  }).schemas;
  const described = Object.entries(all).map(([name, { $schema: _, $id: __, ...schema }]) => [
    name,
    describe(schema, descriptions[name] ?? {}),
  ]);
  return { ...Object.fromEntries(described), Problem: problemSchema };
};

interface Override {
  readonly zodSchema: z.core.$ZodType;
  readonly jsonSchema: JsonSchema;
}

const simplify = ({ zodSchema, jsonSchema }: Override): void => {
  const { type, catchall } = zodSchema._zod.def as z.core.$ZodObjectDef;
  // Answers may get members that older clients do not know; only what is strict about input is closed.
  if (type === 'object' && !catchall) delete jsonSchema.additionalProperties;
  // The pattern of a known format takes half a page to say what the format's name says.
  if (jsonSchema.format) delete jsonSchema.pattern;
  if (jsonSchema.format === 'date-time') jsonSchema.pattern = '\\.\\d{3}Z$';
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** The schema with a description of it and of everything in it. */
const describe = (
  schema: JsonSchema,
  texts: Readonly<Record<string, string>>,
  path = '',
): JsonSchema => {
  const description = texts[path];
  if (!description) throw new Error(`descriptions.ts says nothing of "${path}".`);
  const inside = ({ properties, ...rest }: JsonSchema): JsonSchema => ({
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [
          name,
          describe(property as JsonSchema, texts, path ? `${path}.${name}` : name),
        ]),
      ),
    }),
    ...(rest.anyOf && { anyOf: rest.anyOf.map((option) => inside(option as JsonSchema)) }),
  });
  return { description, ...inside(schema) };
};
