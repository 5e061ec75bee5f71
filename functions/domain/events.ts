import * as z from 'zod/mini';
import { Author } from './author.ts';
import { isTestWorkspace } from './caller.ts';
import { AccountId, RecordId, Timestamp, WorkspaceId } from './identifiers.ts';
import type { Item } from './item.ts';
import { DeliveryAttempt, endTimes } from './offer.ts';
import { Approval, End, StoredPaymentRequest } from './payment-request.ts';
import { Redaction } from './redaction.ts';
import { Sandbox } from './sandbox.ts';

/** What EventBridge calls the `source` of every event. */
export const eventSource = 'workforce-payments';

export interface ItemChange {
  /** The `type` of the item. */
  readonly item: string;
  readonly change: 'INSERT' | 'MODIFY';
  /** The status that the change gives it. */
  readonly status?: string;
  /** The attribute that keeps what was done: later writes repeat the status of the item. */
  readonly part?: 'ended';
}

/** How an event of one type is made. */
interface EventParts {
  /** The attribute, of the item or of its part, with the time of the event. */
  readonly time: string;
  /** The attribute that names a payment request, which is read too. */
  readonly reads?: 'payment_request';
  /** Whether it has the reason of the item, which is not kept when another status follows. */
  readonly hasReason?: true;
  /** What its data are, where they are not members of the item. */
  readonly dataOf?: (item: Item, paymentRequest: Item | undefined) => Item;
}

/** The same with the change that it is of, unless no item is written. */
export type EventRow = EventParts & (ItemChange | { readonly [Name in keyof ItemChange]?: never });

/** The rows of the types that share a schema, and the schema, with its data. */
const eventsWith = <Type extends string, Data extends z.ZodMiniType>(
  rows: Readonly<Record<Type, EventRow>>,
  data: Data,
) => ({
  rows,
  schema: z.object({
    id: z.string().check(z.regex(/^evt_[0-9A-Za-z_]{1,100}$/)),
    type: z.enum(Object.keys(rows) as [Type, ...Type[]]),
    version: z.literal(1),
    workspace: WorkspaceId,
    account: AccountId,
    livemode: z.boolean(),
    time: Timestamp,
    request_id: Author.shape.request,
    actor: Author.shape.actor,
    data,
  }),
});

const paymentRequestOf = <Status extends z.ZodMiniType>(status: Status) =>
  z.extend(z.pick(StoredPaymentRequest, { id: true, worker: true, amount: true, currency: true }), {
    status,
  });

const newItem = (item: string, status?: string) =>
  ({ item, change: 'INSERT', status, time: 'created' }) as const;

const endOfAttempt = (status: keyof typeof endTimes) =>
  ({ item: 'DELIVERY', change: 'MODIFY', status, time: endTimes[status] }) as const;

/** The one type of event of which there is no item. */
export const refusalType = 'record.refused';

/**
 * Every type of event, by the name of its schema: what it is made of, and what it says. From here
 * come the stream's filter, what the publisher reads and puts, and what `events publish` finds.
 */
export const eventTable = {
  PaymentRequestEvent: eventsWith(
    {
      'payment_request.approved': {
        ...newItem('APPROVAL'),
        reads: 'payment_request',
        dataOf: (approval, paymentRequest) => ({
          approval: { ...approval, record_version: approval.version },
          payment_request: { ...paymentRequest, status: 'approved' },
        }),
      },
    },
    z.object({
      approval: z.extend(
        z.pick(Approval, {
          id: true,
          approver: true,
          reason: true,
          created: true,
          previous_status: true,
        }),
        { record_version: Approval.shape.version },
      ),
      payment_request: paymentRequestOf(z.literal('approved')),
    }),
  ),
  PaymentRequestEndedEvent: eventsWith(
    {
      'payment_request.ended': {
        item: 'PAYMENT_REQUEST',
        change: 'MODIFY',
        part: 'ended',
        time: 'at',
        dataOf: (item) => {
          const { status, record_version } = Object(item.ended);
          return { record_version, payment_request: { ...item, status } };
        },
      },
    },
    z.object({
      record_version: End.shape.record_version,
      payment_request: paymentRequestOf(End.shape.status),
    }),
  ),
  SandboxEvent: eventsWith(
    {
      'sandbox.created': newItem('SANDBOX', 'provisioning'),
      'sandbox.ready': { item: 'SANDBOX', change: 'MODIFY', status: 'ready', time: 'updated' },
    },
    Sandbox,
  ),
  DeliveryAttemptEvent: eventsWith(
    {
      'delivery_attempt.created': newItem('DELIVERY', 'queued'),
      'delivery_attempt.sent': endOfAttempt('sent'),
      'delivery_attempt.simulated': endOfAttempt('simulated'),
      'delivery_attempt.failed': { ...endOfAttempt('failed'), hasReason: true },
      'delivery_attempt.delivered': endOfAttempt('delivered'),
      'delivery_attempt.bounced': { ...endOfAttempt('bounced'), hasReason: true },
      'delivery_attempt.complained': endOfAttempt('complained'),
    },
    z.pick(DeliveryAttempt, { id: true, offer: true, status: true, reason: true, created: true }),
  ),
  RefusalEvent: eventsWith(
    { [refusalType]: { time: 'created' } },
    z.object({
      kind: z.optional(z.enum(['payment_request', 'offer'])),
      record: z.optional(RecordId),
      version: z.optional(z.int()),
      faults: z.array(
        z.object({
          member: z.optional(z.string()),
          code: z.string(),
          detail: z.string(),
          count: z.int(),
        }),
      ),
      more: z.int(),
    }),
  ),
  RedactionEvent: eventsWith(
    { 'personal_data.redacted': newItem('REDACTION') },
    z.pick(Redaction, { id: true, ids: true, created: true }),
  ),
};

type Schema = (typeof eventTable)[keyof typeof eventTable]['schema'];

/** What the bus carries in `detail`. */
export const Event = z.discriminatedUnion(
  'type',
  Object.values(eventTable).map(({ schema }) => schema) as [Schema, ...Schema[]],
);
export type Event = z.infer<typeof Event>;

export const eventRows: Readonly<Record<Event['type'], EventRow>> = Object.assign(
  {},
  ...Object.values(eventTable).map(({ rows }) => rows),
);

export const eventChanges = Object.values(eventRows).filter(
  (row): row is EventParts & ItemChange => row.item !== undefined,
);

export const eventTypes = Object.keys(eventRows) as Event['type'][];

/** An item that has no event, or whose event lacks a part: a retry is of no use. */
export class Unpublishable extends Error {
  override readonly name = 'Unpublishable';
}

/**
 * The type of the event of a change; undefined where there is none, such as for an attempt that is
 * put back.
 *
 * @param change the kind of the change, in the words of DynamoDB
 * @throws Unpublishable where no item of this type has events: the filter is newer than this code
 */
export const eventTypeOf = (change: string | undefined, item: Item): Event['type'] | undefined => {
  const types = eventTypes.filter((type) => eventRows[type].item === String(item.type));
  if (types.length === 0) throw new Unpublishable(`No item of type ${item.type} has events.`);
  return types.find((type) => {
    const { change: kind, status = item.status, part } = eventRows[type];
    return kind === change && status === item.status && (!part || item[part] !== undefined);
  });
};

/** What an event of this type is of: the item, or the part of it that keeps what was done. */
export const effectIn = (item: Item, { part }: EventRow): Item => Object(part ? item[part] : item);

/**
 * The event of an item. It says what was true at its time, and nothing that may have changed since:
 * making it again gives the same event.
 *
 * @throws Unpublishable
 */
export const eventOf = (
  type: Event['type'],
  item: Item,
  { workspace, paymentRequest }: { workspace?: Item; paymentRequest?: Item },
): Event => {
  const row = eventRows[type];
  const { [row.time]: time, id, author, ...act } = effectIn(item, row);
  const { actor, request } = Object(author ?? act);
  const reason = row.hasReason ? item.reason : undefined;
  const then = row.status ? { ...item, status: row.status, reason, updated: time } : item;
  const { data: event, error } = Event.safeParse({
    id: `evt_${[id, type.split('.')[1], reason].filter(Boolean).join('_')}`,
    type,
    version: 1,
    workspace: workspace?.id,
    account: workspace?.account,
    livemode: !isTestWorkspace(String(workspace?.id)),
    time,
    request_id: request,
    actor,
    data: row.dataOf ? row.dataOf(item, paymentRequest) : then,
  });
  if (event) return event;
  const faults = error.issues.map(({ path, code }) => `${path.join('.')} (${code})`);
  throw new Unpublishable(`The event ${type} of ${item.id} is not valid: ${faults.join(', ')}.`);
};
