import * as z from 'zod/mini';
import { Account } from '../../../functions/domain/account.ts';
import { Act, Author } from '../../../functions/domain/author.ts';
import { Timestamp, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { DeliveryAttempt, Offer } from '../../../functions/domain/offer.ts';
import { Approval, Manager, PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { Redaction } from '../../../functions/domain/redaction.ts';
import { Sandbox } from '../../../functions/domain/sandbox.ts';
import { Token } from '../../../functions/domain/token.ts';
import { Workspace } from '../../../functions/domain/workspace.ts';
import { claimKey, type Intent } from '../../../functions/idempotency/intent.ts';
import { endTimes } from '../../../functions/store/attributes.ts';
import { keys } from '../../../functions/store/keys.ts';
import { actKey, OperatorAct } from './acts.ts';
import type { Item } from './scan.ts';

// Without a language, zod/mini explains nothing: the functions leave it out to start faster.
z.config(z.locales.en());

const { approvals: _, ...paymentRequestShape } = PaymentRequest.shape;
const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const epochS = z.int();
const ends = Object.values(endTimes);

/** A type of item: its members, the key that they give, and those that the service changes. */
interface Kind {
  readonly shape: z.core.$ZodShape;
  readonly key: (record: Item) => { pk: string; sk: string };
  readonly changing?: readonly string[];
  /** Returns the item that an import stores in place of the line's. */
  readonly imported?: (record: Item) => Item;
}

/** Every item names its author, except a claim, whose effect names it. */
export const authored = (type: string): z.core.$ZodShape =>
  type === 'CLAIM' ? {} : { author: Author };

/** Everything in the table but Powertools' records of requests in progress. */
export const kinds: Readonly<Record<string, Kind>> = {
  ACCOUNT: { shape: Account.shape, key: ({ id }) => keys.account(String(id)) },
  WORKSPACE: { shape: Workspace.shape, key: ({ id }) => keys.workspace(String(id)) },
  MANAGER: {
    shape: Manager.shape,
    key: ({ account, id }) => keys.manager(String(account), String(id)),
    changing: ['created'],
  },
  SANDBOX: {
    shape: Sandbox.shape,
    key: ({ workspace, id }) => keys.sandbox(String(workspace), String(id)),
    changing: ['status', 'updated'],
  },
  PAYMENT_REQUEST: {
    shape: { workspace: WorkspaceId, ...paymentRequestShape },
    key: ({ id }) => keys.paymentRequest(String(id)),
    changing: ['status', 'payment'],
  },
  APPROVAL: {
    shape: Approval.shape,
    key: ({ payment_request, id }) => keys.approval(String(payment_request), String(id)),
  },
  OFFER: {
    shape: { workspace: WorkspaceId, ...Offer.shape },
    key: ({ id }) => keys.offer(String(id)),
    changing: ['status', 'attempts', 'updated'],
    // Each delivery attempt is counted when it is created.
    imported: (offer) => ({ ...offer, attempts: 0 }),
  },
  DELIVERY: {
    shape: {
      workspace: WorkspaceId,
      ...DeliveryAttempt.shape,
      message_id: z.optional(z.string()),
      lease_ends: z.optional(z.int()),
      ...Object.fromEntries(ends.map((end) => [end, z.optional(Timestamp)])),
    },
    key: ({ offer, id }) => keys.delivery(String(offer), String(id)),
    changing: ['status', 'reason', 'message_id', 'lease_ends', 'updated', ...ends],
    // Its consumer works on another table, as if it had died: the attempt is sent again.
    imported: ({ lease_ends: _, ...attempt }) => ({
      ...attempt,
      status: attempt.status === 'sending' ? 'queued' : attempt.status,
    }),
  },
  ACT: { shape: OperatorAct.shape, key: (act) => actKey(OperatorAct.parse(act)) },
  REDACTION: {
    shape: Redaction.shape,
    key: ({ workspace, id }) => keys.redaction(String(workspace), String(id)),
  },
  CLAIM: {
    shape: {
      workspace: WorkspaceId,
      operation: z.string(),
      key: z.string(),
      fingerprint: sha256,
      status: z.literal('COMPLETED'),
      validation: z.string(),
      result: z.string(),
      expires: epochS,
    },
    key: (claim) => claimKey(claim as unknown as Intent),
  },
  TOKEN: {
    shape: { hash: sha256, ...Token.shape },
    key: ({ hash }) => keys.token(String(hash)),
    changing: ['revoked'],
  },
};

/**
 * A line of an export: the item without its key, which follows from the other members, and without
 * its import into this table.
 */
export const recordLine = ({ pk, sk: _, imported: __, ...fields }: Item): Item => {
  if (fields.type !== 'TOKEN') return fields;
  return { ...fields, hash: String(pk).slice(keys.token('').pk.length) };
};

/** What is wrong with a stored item; undefined if nothing is, or if its type is unknown. */
export const shapeFaultOf = (item: Item): string | undefined => {
  const known = kinds[String(item.type)];
  const { error } = z.safeParse(
    z.object({ author: z.optional(Author), imported: z.optional(Act), ...known?.shape }),
    { ...recordLine(item), imported: item.imported },
  );
  return error && z.prettifyError(error).replaceAll(/\s+/g, ' ');
};
