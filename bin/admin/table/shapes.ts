import * as z from 'zod/mini';
import { Act, Author } from '../../../functions/domain/author.ts';
import { Timestamp, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { DeliveryAttempt, endTimes, Offer } from '../../../functions/domain/offer.ts';
import {
  Approval,
  End,
  Manager,
  StoredPaymentRequest,
} from '../../../functions/domain/payment-request.ts';
import { Redaction } from '../../../functions/domain/redaction.ts';
import { Sandbox } from '../../../functions/domain/sandbox.ts';
import { Token } from '../../../functions/domain/token.ts';
import { Account, Workspace } from '../../../functions/domain/workspace.ts';

// Without a language, zod/mini explains nothing: the functions leave it out to start faster.
z.config(z.locales.en());

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const ofWorkspace = { workspace: WorkspaceId };
/** What the messages about a record, and its redaction, leave on it. */
const ofRecord = {
  version: z.optional(z.int()),
  status_version: z.optional(z.int()),
  differs: z.optional(z.literal(true)),
  approved: z.optional(z.literal(true)),
  hashes: z.optional(z.record(z.string().check(z.regex(/^\d+$/)), hash)),
  changed: z.optional(Act),
  redacted: z.optional(z.literal(true)),
};
const endTimestamps = Object.values(endTimes).map((name) => [name, z.optional(Timestamp)]);

/** Approvals are items of their own. */
export const PaymentRequestItem = z.extend(z.omit(StoredPaymentRequest, { approvals: true }), {
  ...ofWorkspace,
  ...ofRecord,
  ended: z.optional(End),
});

export const OfferItem = z.extend(Offer, { ...ofWorkspace, ...ofRecord });

/** A delivery attempt with the name that the mail provider gave to its mail. */
export const MailedAttempt = z.extend(DeliveryAttempt, { message_id: z.optional(z.string()) });

/** Every item names its author but a claim, whose effect does. */
const authored = <Shape extends z.core.$ZodShape>(schema: z.ZodMiniObject<Shape>) =>
  z.extend(schema, { author: Author });

/**
 * The members of an item beside its key, by its type. The table holds nothing else but Powertools'
 * records of requests in progress, which have no type.
 */
export const shapes: Readonly<Record<string, z.ZodMiniType>> = {
  ACCOUNT: authored(Account),
  WORKSPACE: authored(Workspace),
  MANAGER: authored(Manager),
  TOKEN: authored(Token),
  SANDBOX: authored(Sandbox),
  PAYMENT_REQUEST: authored(PaymentRequestItem),
  APPROVAL: authored(Approval),
  OFFER: authored(OfferItem),
  DELIVERY: authored(
    z.extend(MailedAttempt, {
      ...ofWorkspace,
      lease_ends: z.optional(z.int()),
      takes: z.optional(z.int()),
      ...Object.fromEntries(endTimestamps),
    }),
  ),
  REDACTION: authored(Redaction),
  CLAIM: z.object({
    ...ofWorkspace,
    endpoint: z.string(),
    key: z.string(),
    fingerprint: hash,
    status: z.literal('COMPLETED'),
    result: z.string(),
    expires: z.int(),
  }),
};

/** What is wrong with a stored item; undefined if nothing is, or if its type is unknown. */
export const shapeFaultOf = (item: Item): string | undefined => {
  const shape = shapes[String(item.type)];
  const error = shape && z.safeParse(shape, item).error;
  return error && z.prettifyError(error).replaceAll(/\s+/g, ' ');
};
