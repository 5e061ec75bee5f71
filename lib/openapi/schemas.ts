import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type JsonSchema, simplify } from '../../functions/contract/json-schema.ts';
import type { DescribedSchema } from '../../functions/contract/operation.ts';
import { operationIds, operations } from './operations.ts';
import { problemSchema } from './problem-schema.ts';
import { eventSchemas } from './webhooks.ts';

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
        describeSchema(schema, described.get(name) as DescribedSchema),
      ]),
    ),
    Problem: problemSchema,
  };
};

/** The file that describes a schema, for whoever has to add to it. */
const fileOf = (name: string): string | undefined => {
  const cwd = join(import.meta.dirname, '../..');
  const files = globSync(['functions/contract/*.ts', 'functions/*.ts', 'lib/openapi/*.ts'], {
    cwd,
  });
  const isDescribed = new RegExp(`name: '${name}',\n *schema|^  ${name}: {$`, 'm');
  return files.find((path) => isDescribed.test(readFileSync(join(cwd, path), 'utf8')));
};

/**
 * The schema with a description of it and of everything in it.
 *
 * @throws Error that names the file in which one is missing
 */
export const describeSchema = (
  schema: JsonSchema,
  described: DescribedSchema,
  path = '',
): JsonSchema => {
  const { name, descriptions } = described;
  const description = descriptions[path];
  if (!description) {
    const place = path ? `member \`${path}\` of ${name}` : name;
    throw new Error(`The ${place} has no description. Write it in ${fileOf(name)}.`);
  }
  const inside = ({ properties, ...rest }: JsonSchema): JsonSchema => ({
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([member, property]) => [
          member,
          describeSchema(property as JsonSchema, described, path ? `${path}.${member}` : member),
        ]),
      ),
    }),
    ...(rest.anyOf && { anyOf: rest.anyOf.map((option) => inside(option as JsonSchema)) }),
  });
  return { description, ...inside(schema) };
};
