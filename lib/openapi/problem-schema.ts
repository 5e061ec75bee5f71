import type { JsonSchema } from '../../functions/contract/json-schema.ts';
import { maximumFaults, maximumPointerLength } from '../../functions/domain/faults.ts';
import { faultCodes, type problemDetails, problems } from '../../functions/domain/problem.ts';

const fault: JsonSchema = {
  type: 'object',
  description:
    'One fault of the request, and its place: exactly one of `pointer`, `parameter` and `header`.',
  properties: {
    pointer: {
      type: 'string',
      description: `Place in the body: a JSON pointer (RFC 6901), empty for the whole body. One of more than ${maximumPointerLength} characters is cut at a name.`,
    },
    parameter: { type: 'string', description: 'Name of the query parameter.' },
    header: { type: 'string', description: 'Name of the header.' },
    code: { type: 'string', enum: [...faultCodes], description: 'Stable, for machines.' },
    detail: { type: 'string', description: 'A sentence for people. It may change.' },
  },
  required: ['code', 'detail'],
};

const members: Record<keyof ReturnType<typeof problemDetails>, JsonSchema> = {
  type: {
    type: 'string',
    pattern: '^urn:workforce-payments:problem:[a-z_]+$',
    description: 'The code as a URI.',
  },
  title: { type: 'string', description: 'What the code means, in a few words.' },
  status: { type: 'integer', description: 'The status of the response.' },
  detail: { type: 'string', description: 'A sentence about this case, for people. It may change.' },
  code: {
    type: 'string',
    enum: Object.keys(problems),
    description: 'Stable, for machines.',
  },
  request_id: {
    type: 'string',
    description: 'Identifies the request, like the header `Request-Id`.',
  },
  errors: {
    type: 'array',
    minItems: 1,
    maxItems: maximumFaults,
    items: fault,
    description: `With status 400: the faults of the request, the first ${maximumFaults} of them.`,
  },
  version: {
    type: 'integer',
    description:
      'With status 412: the version of the record, unless the record ended with another worker, amount or currency than was approved.',
  },
};

export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'Why a request was rejected or failed: problem details (RFC 9457).',
  properties: members,
  required: Object.keys(members).filter((name) => !['errors', 'version'].includes(name)),
};
