import * as z from 'zod/mini';
import { jsonSchema } from './contract/json-schema.ts';
import type { Operation, Parameter } from './contract/operation.ts';
import { SandboxId } from './domain/identifiers.ts';
import { type ListSandboxes, Sandbox } from './domain/sandbox.ts';

const id = jsonSchema(SandboxId);

type QueryName = keyof z.input<typeof ListSandboxes>;

/**
 * The list's query as clients see it. `ListSandboxes` reads it from text by functions, which do not
 * reach JSON Schema; a test compares the two. `cursor`, `starting_after` and `ending_before` have
 * no example: the service accepts one of them, and tools send every example at once.
 */
const query: Record<QueryName, Omit<Parameter, 'name' | 'in' | 'required'>> = {
  limit: {
    description: 'Maximum number of sandboxes to return.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    example: 50,
  },
  cursor: {
    description: 'The `cursor` of an earlier page. Returns the next page in the same direction.',
    schema: { type: 'string', pattern: '^[\\w-]{1,512}$' },
  },
  starting_after: {
    description:
      'Identifier of a sandbox. Returns the sandboxes after it in the list, which are older.',
    schema: id,
  },
  ending_before: {
    description:
      'Identifier of a sandbox. Returns the sandboxes before it in the list, which are newer.',
    schema: id,
  },
};

const missing = 'sbx_01ARZ3NDEKTSV4RRFFQ69G5FAV';

export const listSandboxes: Operation<Readonly<Partial<Record<QueryName, string>>>> = {
  access: { reads: ['GetItem', 'Query'] },
  clientMethod: 'sandboxes',
  tag: 'Sandboxes',
  summary: 'List sandboxes',
  description:
    "Returns the sandboxes of the token's live workspace, newest first. Following the cursors returns each sandbox once, even while others are created. Send at most one of `cursor`, `starting_after` and `ending_before`.",
  parameters: Object.entries(query).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    ...parameter,
  })),
  response: {
    name: 'SandboxList',
    schema: z.object({
      sandboxes: z.array(Sandbox).check(z.maxLength(100)),
      cursor: z.optional(z.string()),
    }),
    descriptions: {
      '': 'One page of sandboxes.',
      sandboxes: 'The sandboxes of the page, newest first in either direction.',
      cursor: 'Send it to fetch the next page in the same direction. Absent on the last page.',
    },
  },
  success: 'One page. It has a `cursor` only if another page exists.',
  links: {
    NextPage: {
      operationId: 'listSandboxes',
      description: 'The next page in the same direction, if the page has a `cursor`.',
      parameters: { cursor: '$response.body#/cursor' },
    },
  },
  request: (query) => ({ query }),
  problems: {
    conflicting_parameters: { starting_after: missing, ending_before: missing },
    invalid_cursor: { cursor: 'nonsense' },
    resource_missing: { starting_after: missing },
  },
  examples: {
    name: 'page',
    target: { limit: '1' },
    further: { last_page: ({ cursor }) => ({ cursor }) },
    faulty: { query: { limit: '1000', offset: '3' } },
  },
};
