import * as z from 'zod/mini';
import type { Act } from './author.ts';
import { lossesIn } from './exact-json.ts';
import { OfferId, PaymentRequestId, Timestamp, WorkspaceId } from './identifiers.ts';
import type { Item } from './item.ts';
import { MessageRefused } from './message-refused.ts';
import { type DeliveryAttempt, newDeliveryAttempt, Offer } from './offer.ts';
import { End, PaymentRequest } from './payment-request.ts';
import { faultParams } from './problem.ts';
import { withCommas } from './text.ts';

/**
 * The largest payment request as JSON. A claim holds it with 6,000 approvals or more, and a message
 * with it fits into the queue.
 */
export const maximumRecordBytes = 256 * 1024;

/**
 * The largest size of its members in the table. An item has 400 KB at most (Amazon DynamoDB
 * Developer Guide, "Quotas"), of which the service's own attributes need 16 KB.
 */
export const maximumStoredBytes = 384 * 1024;

/**
 * The size of a value as DynamoDB counts it (Amazon DynamoDB Developer Guide, "DynamoDB item sizes
 * and formats"); of a number, of which that gives an approximation, the most.
 */
const storedBytes = (value: unknown): number => {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.floor(String(value).length / 2) + 2;
  if (typeof value !== 'object' || value === null) return 1;
  const named = Array.isArray(value) ? 0 : 1;
  return Object.entries(value).reduce(
    (bytes, [name, each]) => bytes + 1 + named * Buffer.byteLength(name) + storedBytes(each),
    3,
  );
};

/** Levels of a list or map within an item's member, of DynamoDB's 32 ("Quotas", Nested depth). */
const mostLevels = 30;

/**
 * A JSON Schema of the names within documents and payment. DynamoDB refuses an empty one
 * ("Supported data types and naming rules"). The SDK takes `constructor` for the class of a value,
 * and may store another value.
 */
export const memberName = { minLength: 1, maxLength: 255, not: { const: 'constructor' } };

const isName = (name: string) =>
  name !== 'constructor' &&
  name !== '' &&
  name.isWellFormed() &&
  [...name].length <= memberName.maxLength;

/** Whether DynamoDB keeps a value of JSON, apart from its numbers (domain/exact-json.ts). */
const isStorable = (value: unknown, levels = mostLevels): boolean => {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return (
    levels > 0 &&
    (Array.isArray(value) || Object.keys(value).every(isName)) &&
    Object.values(value).every((each) => isStorable(each, levels - 1))
  );
};

const storable = z.refine((value) => isStorable(value), {
  error: `Must have at most ${mostLevels} levels, well-formed text, and names of 1 to ${memberName.maxLength} characters but constructor.`,
  params: faultParams('unstorable'),
});

/** What `storable` says of each level, in the JSON Schema that holds this definition. */
const storableMeta = z.meta({ $ref: '#/$defs/storable' });

const day = z.regexes.date.source.slice(1, -1);
const clock = '(?:[01]\\d|2[0-3]):[0-5]\\d';

/**
 * A time of RFC 3339, in UTC with milliseconds once it is parsed. JavaScript has no leap second: it
 * is read as the next one.
 */
const RecordTime = z.string().check(
  z.regex(new RegExp(`^${day}[Tt ]${clock}:(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-]${clock})$`), {
    error: 'Must be a time of RFC 3339, such as 2026-10-31T09:00:00Z.',
    abort: true,
  }),
  z.overwrite((text) => {
    const [seconds, ms] = text.includes(':60') ? [text.replace(/:60/, ':59'), 1000] : [text, 0];
    return new Date(Date.parse(seconds.toUpperCase().replace(' ', 'T')) + ms).toISOString();
  }),
  z.refine((text) => Timestamp.safeParse(text).success, {
    error: 'Must be in the years 0000 to 9999 in UTC.',
    params: faultParams('year'),
  }),
  z.meta({ format: 'date-time' }),
);

const { approvals: _, status, period, documents, payment, ...members } = PaymentRequest.shape;

/** A payment request as the company's own system has it; its approvals are this service's. */
const PaymentRequestRecord = z
  .strictObject({
    ...members,
    // An approval alone makes a payment request approved.
    status: z.enum(['draft', 'pending', 'rejected', 'paid', 'cancelled']),
    period: z.catchall(period, z.never()),
    documents: documents.check(storable, storableMeta),
    payment: payment.check(storable, storableMeta),
    created: RecordTime,
  })
  .check(
    z.refine(
      (request) =>
        Buffer.byteLength(JSON.stringify(request)) <= maximumRecordBytes &&
        storedBytes(request) <= maximumStoredBytes,
      {
        error: `Is larger than ${withCommas(maximumRecordBytes)} bytes as JSON, or ${withCommas(maximumStoredBytes)} as DynamoDB counts them.`,
        params: faultParams('too_big'),
        // One that is nested too deeply cannot be written.
        when: ({ issues }) => issues.length === 0,
      },
    ),
  );

/** An offer as the company's own system has it. */
const OfferRecord = z.strictObject({
  ...z.pick(Offer, { id: true, status: true }).shape,
  recipient_email: Offer.shape.recipient_email.check(
    // Programs of mail may decode it (RFC 2047), and send to another address.
    z.refine((address) => !address.includes('=?'), {
      error: 'Must not contain =?.',
      params: faultParams('invalid_format'),
    }),
    z.meta({ not: { pattern: '^[^@]{65}|=\\?' } }),
  ),
  created: RecordTime,
});

/** The attributes of both records that a later message changes or checks. */
export const changingAttributes = [
  ...Object.keys({ ...PaymentRequestRecord.shape, ...OfferRecord.shape }),
  ...['version', 'status_version', 'approved', 'differs', 'hashes', 'changed', 'redacted', 'ended'],
  ...['attempts', 'updated'],
].filter((name) => name !== 'id' && name !== 'created');

const mostVersion = 999_999_999_999_999;
const versionSentence = `Must be from 1 to ${withCommas(mostVersion)}.`;

/** What a company's own system sends of a record whenever that has changed: all of it. */
export const RecordMessage = z
  .strictObject({
    workspace: WorkspaceId,
    /** Grows with each change of the record; a message without a higher one changes nothing. */
    version: z
      .int(versionSentence)
      .check(z.gte(1, versionSentence), z.lte(mostVersion, versionSentence)),
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
  );
export type RecordMessage = z.infer<typeof RecordMessage>;

/** The identifiers in what should be a message, and its own: all that is logged of it. */
export const recordIds = (input: unknown, messageId: string) => {
  const { workspace, payment_request, offer } = Object(input);
  return {
    request_id: messageId,
    workspace: WorkspaceId.safeParse(workspace).data,
    payment_request: PaymentRequestId.safeParse(payment_request?.id).data,
    offer: OfferId.safeParse(offer?.id).data,
  };
};

/** Why a valid message is refused, in words without a value. */
const refusals = {
  foreign_id: 'The id belongs to another workspace.',
  redacted: 'The record has been redacted.',
  version_reused: 'This version had other content: send it with a higher one.',
  approved_otherwise:
    'worker, amount or currency differ from what was approved: what is to be decided again has a new id.',
} as const;

const refused = (code: keyof typeof refusals) =>
  new MessageRefused([{ code, detail: refusals[code] }]);

const shapes: Readonly<Record<string, object>> = {
  ...RecordMessage.shape,
  payment_request: PaymentRequestRecord.shape,
  offer: OfferRecord.shape,
};

/** The names in a pointer that the schema has: of the message's member, and of the record's. */
const memberAt = (pointer: string): string => {
  const [, name = '', member = ''] = pointer.split('/');
  if (!Object.hasOwn(shapes, name)) return '';
  return Object.hasOwn(shapes[name] ?? {}, member) ? `${name}.${member}` : name;
};

/**
 * Refuses a message of which something would be lost.
 *
 * @throws MessageRefused
 */
export const requireExact = (body: string): void => {
  const faults = lossesIn(body).map(({ pointer, sentence: detail }) => ({
    member: memberAt(pointer),
    pointer,
    code: 'inexact',
    detail,
  }));
  if (faults.length > 0) throw new MessageRefused(faults);
};

export interface RecordChange {
  /** What is logged of it: names of members and no value. */
  readonly facts: {
    readonly result: 'created' | 'replaced' | 'known';
    readonly version: number;
    readonly stored_version: number | undefined;
    /** The approved members that stay, because the message has other values. */
    readonly differs_from_approved?: string | undefined;
    /** Of an offer that becomes sent. */
    readonly mail?: 'queued' | 'none' | undefined;
  };
  /** The members that change; none if the table has this version or a higher one. */
  readonly members?: Item;
  /** Of a request that was approved: how it ends. */
  readonly end?: Omit<End, keyof Act> | undefined;
  /** The first mail of an offer. */
  readonly attempt?: DeliveryAttempt | undefined;
}

/**
 * What a message changes. In any order of messages, the members are those of the highest version.
 * An approval freezes what was approved. `status_version` is the version that set the status, if a
 * later one set the other members. `differs` says that the last message differs from what was
 * approved.
 *
 * @param stored the record in the table
 * @param stamp with the hash of what the version says
 * @throws MessageRefused
 */
export const importRecord = (
  message: RecordMessage,
  stored: Item | undefined,
  stamp: Stamp,
): RecordChange => {
  const { workspace, version } = message;
  if (stored && stored.workspace !== workspace) throw refused('foreign_id');
  // The same version with other content is refused.
  if ((hashesOf(stored)[version] ?? stamp.hash) !== stamp.hash) {
    throw refused('version_reused');
  }
  // The highest version wins, with its status and all other members.
  if (!stored || version > versionOf(stored)) return replaceRecord(message, stored, stamp);
  // After an approval the highest version with paid, rejected or cancelled sets the status, even if
  // a higher draft or pending came first.
  if (version > statusVersionOf(stored) && !isOpen(message)) {
    return endApproved(message, stored, stamp);
  }
  // A lower or equal version changes nothing else.
  return { facts: { result: 'known', ...versionsIn(message, stored) } };
};

/** What is new of a record: its id, the time, and the hash of what its version says. */
type Stamp = Readonly<Record<'opaque' | 'created' | 'hash', string>>;

const replaceRecord = (
  message: RecordMessage,
  stored: Item | undefined,
  stamp: Stamp,
): RecordChange => {
  const { opaque, created: now, hash } = stamp;
  const { version, payment_request: request, offer, send = false } = message;
  const differing = differingMembers(message, stored);
  const keepsStatus = isApproved(stored) && isOpen(message);
  const statusVersion = keepsStatus ? statusVersionOf(stored) : undefined;
  const isSent = offer?.status === 'sent' && stored?.status !== 'sent';
  // Nobody resends an offer that is not sent, so no other attempt is counted meanwhile.
  const isMailed = isSent && !stored?.attempts && (send || stored?.status === 'draft');
  const { shape } = request ? PaymentRequestRecord : OfferRecord;
  return {
    facts: {
      result: stored ? 'replaced' : 'created',
      ...versionsIn(message, stored),
      differs_from_approved: differing.join(', ') || undefined,
      mail: isSent ? (isMailed ? 'queued' : 'none') : undefined,
    },
    members: {
      // What the message leaves out is removed.
      ...Object.fromEntries(Object.keys(shape).map((name) => [name, undefined])),
      ...request,
      ...offer,
      version,
      ...Object.fromEntries(differing.map((name) => [name, stored?.[name]])),
      ...(keepsStatus && { status: stored?.status }),
      ...(offer && { updated: now }),
      ...(offer && (isMailed || !stored) && { attempts: Number(isMailed) }),
      status_version: statusVersion,
      approved: isApproved(stored) || undefined,
      differs: differing.length > 0 || undefined,
      hashes: hashesWith(message, hash, stored, statusVersion),
    },
    end: endBy(message, stored, stamp),
    attempt: offer && isMailed ? newDeliveryAttempt(offer.id, opaque, now) : undefined,
  };
};

const endApproved = (message: RecordMessage, stored: Item, stamp: Stamp): RecordChange => ({
  facts: {
    result: 'replaced',
    ...versionsIn(message, stored),
    differs_from_approved: differingMembers(message, stored).join(', ') || undefined,
  },
  members: {
    status: message.payment_request?.status,
    status_version: message.version,
    hashes: hashesWith(message, stamp.hash, stored, versionOf(stored)),
  },
  end: endBy(message, stored, stamp),
});

/** The end of a request that was approved, if a message changes its status to one. */
const endBy = (
  { version, payment_request: request }: RecordMessage,
  stored: Item | undefined,
  { opaque }: Stamp,
): RecordChange['end'] => {
  const { data: status } = End.shape.status.safeParse(request?.status);
  return status && isApproved(stored) && stored?.status !== status
    ? { id: `end_${opaque}`, status, record_version: version }
    : undefined;
};

/** Of the last message, 0 where none has come. */
const versionOf = ({ version }: Item) => Number(version ?? 0);
/** Of the last message that set the status: another one only after an approval. */
const statusVersionOf = (stored: Item = {}) => Number(stored.status_version ?? versionOf(stored));

const versionsIn = ({ version }: RecordMessage, stored: Item | undefined) => ({
  version,
  stored_version: stored && versionOf(stored),
});

const isOpen = ({ payment_request: request }: RecordMessage) =>
  request?.status === 'draft' || request?.status === 'pending';

/** Whether a payment request was ever approved. */
const isApproved = (stored: Item | undefined) =>
  stored?.status === 'approved' || stored?.approved === true;

/** What an approval is of. */
const approvedMembers = ['worker', 'amount', 'currency'] as const;

/**
 * The approved members that stay, because the message has other values.
 *
 * @throws MessageRefused where it does not end the request, or where nothing may be written
 */
const differingMembers = (message: RecordMessage, stored: Item | undefined) => {
  const { payment_request: request } = message;
  if (stored?.redacted) throw refused('redacted');
  const differing = approvedMembers.filter(
    (name) => isApproved(stored) && stored?.[name] !== request?.[name],
  );
  if (differing.length > 0 && (isOpen(message) || request?.status === 'paid')) {
    throw refused('approved_otherwise');
  }
  return differing;
};

/** The hash of a record's content by version: its own and, if another set its status, that one. */
const hashesOf = (stored: Item | undefined) =>
  (stored?.hashes ?? {}) as Readonly<Record<number, string>>;

/** The hashes after a message: its own, and that of one other version. */
const hashesWith = (
  { version }: RecordMessage,
  hash: string,
  stored: Item | undefined,
  other = version,
) => ({ [other]: hashesOf(stored)[other], [version]: hash });

/**
 * The content of a version, for its hash: all members but those that the first message alone sets,
 * in one order. `send` is left out: after a restore, a record is sent again without it, so that
 * nothing is mailed twice.
 */
export const contentOf = ({ payment_request: request, offer }: RecordMessage): string => {
  const { id: _, created: __, ...content } = { ...request, ...offer };
  return JSON.stringify(content, (_name, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
};
