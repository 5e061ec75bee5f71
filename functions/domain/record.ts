import * as z from 'zod/mini';
import { OfferId, PaymentRequestId, WorkspaceId } from './identifiers.ts';
import { type DeliveryAttempt, newDeliveryAttempt, Offer } from './offer.ts';
import { PaymentRequest } from './payment-request.ts';
import { faultParams } from './problem.ts';
import { withCommas } from './text.ts';

/**
 * The most that a payment request may have as JSON. In the table it has at most half as much again,
 * as a list of digits has, and a claim on its approval holds its JSON as a text with 6,000 approvals
 * or more: both fit into DynamoDB's 400 KB. A message with it fits into the queue.
 */
export const maximumRecordBytes = 256 * 1024;

/** Levels of a list or map within an item's member, of DynamoDB's 32 ("Quotas", Nested depth). */
const mostLevels = 30;

/** Whether DynamoDB keeps a value of JSON, apart from its numbers (domain/exact-json.ts). */
const isStorable = (value: unknown, levels = mostLevels): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  // DynamoDB refuses a name without a character ("Supported data types and naming rules"). The SDK
  // takes `constructor` for the class of a value, and may store another one without a word.
  return (
    levels > 0 &&
    !['', 'constructor'].some((name) => Object.hasOwn(value, name)) &&
    Object.entries(value)
      .flat()
      .every((each) => isStorable(each, levels - 1))
  );
};

const storable = z.refine((value) => isStorable(value), {
  error: `Must have at most ${mostLevels} levels, well-formed text and no member "" or constructor.`,
  params: faultParams('unstorable'),
});

const { approvals: _, status, period, documents, payment, ...members } = PaymentRequest.shape;

/** A payment request as the company's own system has it; its approvals are this service's. */
const PaymentRequestRecord = z
  .strictObject({
    ...members,
    // An approval alone makes a payment request approved.
    status: z.enum(['draft', 'pending', 'rejected', 'paid', 'cancelled']),
    period: z.catchall(period, z.never()),
    documents: documents.check(storable),
    payment: payment.check(storable),
  })
  .check(
    z.refine((request) => Buffer.byteLength(JSON.stringify(request)) <= maximumRecordBytes, {
      error: `Is larger than ${withCommas(maximumRecordBytes)} bytes as JSON.`,
      params: faultParams('too_big'),
      // One that is nested too deeply cannot be written.
      when: ({ issues }) => issues.length === 0,
    }),
  );

/** An offer as the company's own system has it. */
const OfferRecord = z.strictObject(
  z.pick(Offer, { id: true, recipient_email: true, status: true, created: true }).shape,
);

/** The members of both records that a message changes: all but those that its first one fixes. */
export const changingMembers = Object.keys({
  ...PaymentRequestRecord.shape,
  ...OfferRecord.shape,
}).filter((name) => name !== 'id' && name !== 'created');

/** What a company's own system sends of a record whenever that has changed: all of it. */
export const RecordMessage = z
  .strictObject({
    workspace: WorkspaceId,
    /** Grows with each change of the record; a message without a higher one changes nothing. */
    version: z.int().check(z.gte(1), z.lte(999_999_999_999_999)),
    payment_request: z.optional(PaymentRequestRecord),
    offer: z.optional(OfferRecord),
    /** Whether to mail a new offer that is `sent`; a draft that becomes `sent` is always mailed. */
    send: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      (message) => (message.payment_request === undefined) !== (message.offer === undefined),
      {
        error: 'Must have either a payment_request or an offer.',
        params: faultParams('one_record'),
        when: ({ value }) => typeof value === 'object' && value !== null,
      },
    ),
    z.refine(({ offer, send }) => !send || offer?.status === 'sent', {
      error: 'Belongs to an offer that is sent.',
      params: faultParams('not_sent'),
      path: ['send'],
    }),
    z.meta({ oneOf: [{ required: ['payment_request'] }, { required: ['offer'] }] }),
  );
export type RecordMessage = z.infer<typeof RecordMessage>;

/** The identifiers in what should be a message, and its own: all that is logged of it. */
export const recordIds = (input: unknown, messageId: string) => {
  const { workspace, payment_request, offer } = (input ?? {}) as Partial<Record<string, Item>>;
  return {
    request_id: messageId,
    workspace: WorkspaceId.safeParse(workspace).data,
    payment_request: PaymentRequestId.safeParse(payment_request?.id).data,
    offer: OfferId.safeParse(offer?.id).data,
  };
};

/** Why a valid message is refused, in words without a value. */
const refusals = {
  unknown_workspace: 'There is no such workspace.',
  foreign_id: 'id: It belongs to another workspace.',
  redacted: 'It has been redacted.',
  inexact: 'It has a number of more than 15 digits, or a member twice or named __proto__.',
  approved_otherwise: 'worker, amount and currency change only while it is draft or pending.',
} as const;

/** A valid message whose record cannot be stored. */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused';
  readonly code: keyof typeof refusals;

  constructor(code: keyof typeof refusals) {
    super(refusals[code]);
    this.code = code;
  }
}

/** The statuses that a message can change each one to. Only an approval changes the others. */
const nextStatuses: Readonly<Record<string, readonly string[]>> = {
  draft: ['pending', 'rejected', 'cancelled', 'sent', 'accepted', 'declined', 'expired', 'voided'],
  pending: ['rejected', 'cancelled'],
  approved: ['paid', 'rejected', 'cancelled'],
  sent: ['accepted', 'declined', 'expired', 'voided'],
};

/** An item of the table, unparsed. */
type Item = Readonly<Record<string, unknown>>;

/**
 * What a message changes: members of its record, whose status stays unless the message's follows
 * it, and the first mail of an offer.
 *
 * @param stored the record in the table
 * @returns undefined if the table knows as much or more
 * @throws RecordRefused
 */
export const importRecord = (
  { workspace, version, payment_request: request, offer, send = false }: RecordMessage,
  stored: Item | undefined,
  owner: Item | undefined,
  { opaque, created: now }: { readonly opaque: string; readonly created: string },
): { readonly members: Item; readonly attempt?: DeliveryAttempt | undefined } | undefined => {
  if (!owner) throw new RecordRefused('unknown_workspace');
  if (stored && stored.workspace !== workspace) throw new RecordRefused('foreign_id');
  if (stored && version <= Number(stored.version ?? 0)) return undefined;
  if (stored?.redacted) throw new RecordRefused('redacted');
  const record = { ...request, ...offer };
  const before = String(stored?.status);
  const follows = !stored || nextStatuses[before]?.includes(String(record.status));
  const members = { ...record, version, status: follows ? record.status : before };
  if (!offer) {
    const isOpen = !stored || before === 'draft' || before === 'pending';
    const isSame = (['worker', 'amount', 'currency'] as const).every(
      (name) => stored?.[name] === request?.[name],
    );
    if (!isOpen && !isSame) throw new RecordRefused('approved_otherwise');
    return { members };
  }
  const isSent = offer.status === 'sent' && (stored ? before === 'draft' : send);
  // A resend may count another attempt meanwhile, but not of a draft.
  const attempts = stored && !isSent ? {} : { attempts: Number(isSent) };
  return {
    members: { ...members, ...attempts, updated: now },
    attempt: isSent ? newDeliveryAttempt(offer.id, opaque, now) : undefined,
  };
};
