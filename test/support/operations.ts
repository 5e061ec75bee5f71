import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Call } from '../../bin/openapi/request-init.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { documents, table } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { newOffer, newPaymentRequest, type Tenant } from './tenants.ts';

/** Something that a client wants done, ready to be asked for as often as a test likes. */
export interface Intent {
  readonly path: string;
  readonly call: Call;
  /** A text that every write of this intent holds, and no other. */
  readonly about: string;
  /** The identifiers of what has come of it, in the table. */
  readonly effects: () => Promise<string[]>;
}

/** An operation that takes an Idempotency-Key. */
export interface Operation {
  readonly name: string;
  /** The logical id of its function. */
  readonly lambda: string;
  readonly status: number;
  readonly prepare: (tenant: Tenant) => Promise<Intent>;
  /** The identifier of the effect that an answer speaks of. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies differ from operation to operation.
  readonly effectOf: (body: any) => string;
}

/** The first approval of a request writes its status too; the others are a single item each. */
const approval = (name: string, before: 'pending' | 'approved'): Operation => ({
  name,
  lambda: 'ApprovePaymentRequest',
  status: 200,
  prepare: async ({ token, workspace, manager }) => {
    const { id } = await newPaymentRequest(workspace, { status: before });
    return {
      path: `/v1/payment-requests/${id}/approve`,
      call: { token, body: { approver: manager } },
      about: id,
      effects: () => idsUnder(keys.approval(id, '')),
    };
  },
  effectOf: (body) => body.approvals.at(-1),
});

export const operations: readonly Operation[] = [
  {
    name: 'resend',
    lambda: 'ResendOffer',
    status: 200,
    prepare: async ({ token, workspace }) => {
      const { id } = await newOffer(workspace);
      return {
        path: `/v1/offers/${id}/resend`,
        call: { token },
        about: id,
        effects: () => idsUnder(keys.delivery(id, '')),
      };
    },
    effectOf: (body) => body.delivery.last_attempt.id,
  },
  approval('approve', 'pending'),
  approval('approve again', 'approved'),
  {
    name: 'create',
    lambda: 'CreateSandbox',
    status: 201,
    prepare: async ({ token, workspace }) => {
      const name = `Sandbox ${newOpaque()}`;
      return {
        path: '/v1/sandboxes',
        call: { token, body: { name } },
        about: name,
        effects: async () => {
          const items = await itemsUnder(keys.sandbox(workspace, ''));
          return items.filter((item) => item.name === name).map(({ id }) => id);
        },
      };
    },
    effectOf: (body) => body.id,
  },
];

/** The items whose key starts like this one. */
export const itemsUnder = async ({ pk, sk }: { pk: string; sk: string }) => {
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: table(),
      ConsistentRead: true,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :sk)',
      ExpressionAttributeValues: { ':pk': pk, ':sk': sk },
    }),
  );
  return Items;
};

const idsUnder = async (key: { pk: string; sk: string }): Promise<string[]> =>
  (await itemsUnder(key)).map(({ id }) => id);
