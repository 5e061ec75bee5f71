import * as z from 'zod/mini';
import { type JsonSchema, simplify } from '../../functions/contract/json-schema.ts';
import type { DescribedSchema } from '../../functions/contract/operation.ts';
import { operationIds, operations } from './operations.ts';
import { problemSchema } from './problem-schema.ts';
import { eventSchemas } from './webhooks.ts';

/** A reference to one of the document's schemas. */
export const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** `components.schemas` of the document: what operations return and take, events, and problems. */
export const schemas = (): Record<string, JsonSchema> => {
  const described = new Map<string, DescribedSchema>();
  for (const operation of operationIds) {
    const { response, body } = operations[operation];
    for (const each of body ? [response, body] : [response]) described.set(each.name, each);
  }
  for (const each of eventSchemas) described.set(each.name, each);
  const components = z.registry<{ id: string }>();
  for (const [id, { schema }] of described) components.add(schema, { id });
  const all = z.toJSONSchema(components, { uri: (id) => schemaRef(id).$ref, override: simplify });
  return {
    ...Object.fromEntries(
      Object.entries(all.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [
        name,
        describe(schema, described.get(name) as DescribedSchema),
      ]),
    ),
    Problem: problemSchema,
  };
};

/** The schema with a description of it and of everything in it. */
const describe = (schema: JsonSchema, described: DescribedSchema, path = ''): JsonSchema => {
  const { name, descriptions } = described;
  const description = descriptions[path];
  if (!description) {
    throw new Error(`Member "${path}" of ${name} has no description. Add it to its descriptions.`);
  }
  const inside = ({ properties, ...rest }: JsonSchema): JsonSchema => ({
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([member, property]) => [
          member,
          describe(property as JsonSchema, described, path ? `${path}.${member}` : member),
        ]),
      ),
    }),
    ...(rest.anyOf && { anyOf: rest.anyOf.map((option) => inside(option as JsonSchema)) }),
  });
  return { description, ...inside(schema) };
};
