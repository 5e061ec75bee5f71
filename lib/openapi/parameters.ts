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
  description: `The identifier of the ${of}. One that is malformed, unknown or another workspace's is not found.`,
  schema: jsonSchema(schema),
  example,
});

const sandbox = jsonSchema(SandboxId);

/**
 * The list's query as clients see it: `ListSandboxes` reads it from text, by functions that JSON
 * Schema knows nothing of. A test holds the two against each other. The places to start at have no
 * example: of several the service accepts one, and tools send every example at once.
 */
const list: Record<
  keyof z.input<typeof ListSandboxes>,
  Omit<Parameter, 'name' | 'in' | 'required'>
> = {
  limit: {
    description: 'How many sandboxes to return at the most.',
    schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
    example: 50,
  },
  cursor: {
    description: 'From an earlier page: returns the next one in the same direction.',
    schema: { type: 'string', pattern: '^[\\w-]{1,512}$' },
  },
  starting_after: {
    description: 'Returns what comes after this sandbox in the list: older ones.',
    schema: sandbox,
  },
  ending_before: {
    description: 'Returns what comes before this sandbox in the list: newer ones.',
    schema: sandbox,
  },
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes a retry safe: for 30 days a request with the same key gets the first answer and has no effect of its own. ${idempotencyKeyForm}, remembered per workspace and operation; a key in double quotes is the same key. Only successes are kept: after an error the key may be used again.`,
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

export const parametersOf = (operation: OperationId): object[] => [
  ...ownParameters[operation],
  ...(routes[operation].method === 'POST'
    ? [{ $ref: '#/components/parameters/IdempotencyKey' }]
    : []),
];

/** `components.parameters` of the document. */
export const sharedParameters = { IdempotencyKey: idempotencyKey };
