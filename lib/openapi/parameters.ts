import type * as z from 'zod/mini';
import { idempotencyKeyForm } from '../../functions/domain/idempotency-key.ts';
import { OfferId, PaymentRequestId, SandboxId } from '../../functions/domain/identifiers.ts';
import { routes } from '../../functions/domain/routes.ts';
import type { ListSandboxes } from '../../functions/domain/sandbox.ts';
import type { OperationId } from './operations.ts';
import { type JsonSchema, jsonSchema } from './schemas.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

const identifier = (of: string, schema: z.ZodMiniType, example: string): Parameter => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `Identifier of the ${of}. One that is malformed, unknown or in another workspace returns 404.`,
  schema: jsonSchema(schema),
  example,
});

const sandbox = jsonSchema(SandboxId);

/**
 * The list's query as clients see it. `ListSandboxes` reads it from text by functions, which do not reach
 * JSON Schema; a test compares the two. `cursor`, `starting_after` and `ending_before` have no example:
 * the service accepts one of them, and tools send every example at once.
 */
const list: Record<
  keyof z.input<typeof ListSandboxes>,
  Omit<Parameter, 'name' | 'in' | 'required'>
> = {
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
    schema: sandbox,
  },
  ending_before: {
    description:
      'Identifier of a sandbox. Returns the sandboxes before it in the list, which are newer.',
    schema: sandbox,
  },
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes a retry safe: for 30 days, a request with the same key returns the saved response and has no effect of its own. ${idempotencyKeyForm}; a key in double quotes equals the bare key. Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key can be sent again.`,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!#-~]([ -~]*[!-~])?$' },
  example: '7d1c1f0e-0f0a-4c59-9d5b-5c1a5d0f2b6e',
};

/** The parameters that one operation has. */
export const ownParameters: Record<OperationId, readonly Parameter[]> = {
  approvePaymentRequest: [identifier('payment request', PaymentRequestId, 'ptr_pending')],
  createSandbox: [],
  listSandboxes: Object.entries(list).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    ...parameter,
  })),
  resendOffer: [identifier('offer', OfferId, 'ofr_sent')],
};

/** The Parameter Objects of an operation. */
export const parametersOf = (operation: OperationId): object[] => [
  ...ownParameters[operation],
  ...(routes[operation].method === 'POST'
    ? [{ $ref: '#/components/parameters/IdempotencyKey' }]
    : []),
];

/** `components.parameters` of the document. */
export const sharedParameters = { IdempotencyKey: idempotencyKey };
