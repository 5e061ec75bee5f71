import * as z from 'zod/mini';
import { Author } from './author.ts';
import { isTestWorkspace } from './caller.ts';
import { AccountId, RecordId, Timestamp, WorkspaceId } from './identifiers.ts';
import type { Item } from './item.ts';
import { DeliveryAttempt } from './offer.ts';
import { Approval, End, StoredPaymentRequest } from './payment-request.ts';
import { Redaction } from './redaction.ts';
import { Sandbox } from './sandbox.ts';

/** What EventBridge calls the `source` of every event. */
export const eventSource = 'workforce-payments';

/** The parts of an event, of these types, about these data. */
const eventOfType = <Type extends string, Data extends z.ZodMiniType>(
  types: readonly [Type, ...Type[]],
  data: Data,
) =>
  z.object({
    id: z.string().check(z.regex(/^evt_[0-9A-Za-z_]{1,100}$/)),
    type: z.enum(types),
    version: z.literal(1),
    workspace: WorkspaceId,
    account: AccountId,
    livemode: z.boolean(),
    time: Timestamp,
    request_id: Author.shape.request,
    actor: Author.shape.actor,
    data,
  });

const paymentRequestOf = <Status extends z.ZodMiniType>(status: Status) =>
  z.extend(z.pick(StoredPaymentRequest, { id: true, worker: true, amount: true, currency: true }), {
    status,
  });

/** A manager has approved a payment request. There is one event for each approval. */
export const PaymentRequestEvent = eventOfType(
  ['payment_request.approved'],
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
);

/** A record has ended an approved payment request. */
export const PaymentRequestEndedEvent = eventOfType(
  ['payment_request.ended'],
  z.object({
    record_version: End.shape.record_version,
    payment_request: paymentRequestOf(End.shape.status),
  }),
);

/** A sandbox was created, or has become ready. */
export const SandboxEvent = eventOfType(['sandbox.created', 'sandbox.ready'], Sandbox);

/** A delivery attempt was created, or has ended. A mail that was sent may end more than once. */
export const DeliveryAttemptEvent = eventOfType(
  [
    'delivery_attempt.created',
    'delivery_attempt.sent',
    'delivery_attempt.simulated',
    'delivery_attempt.failed',
    'delivery_attempt.delivered',
    'delivery_attempt.bounced',
    'delivery_attempt.complained',
  ],
  z.pick(DeliveryAttempt, { id: true, offer: true, status: true, reason: true, created: true }),
);

/** An operator has redacted personal data. Consumers must delete their own copies of them. */
export const RedactionEvent = eventOfType(
  ['personal_data.redacted'],
  z.pick(Redaction, { id: true, ids: true, created: true }),
);

/** The one type of event of which there is no item. */
export const refusalType = 'record.refused';

/** A record that a company's own system has sent was refused. */
export const RefusalEvent = eventOfType(
  [refusalType],
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
);

/** What the bus carries in `detail`. */
export const Event = z.discriminatedUnion('type', [
  PaymentRequestEvent,
  PaymentRequestEndedEvent,
  SandboxEvent,
  DeliveryAttemptEvent,
  RedactionEvent,
  RefusalEvent,
]);
export type Event = z.infer<typeof Event>;

/** The items that an event describes. */
export interface EventItems {
  /**
   * An approval, a sandbox, a delivery attempt, a redaction, or an ended payment request; or a
   * refusal, which is no item.
   */
  readonly effect: Item;
  /** What the approval is of. */
  readonly paymentRequest: Item | undefined;
  readonly workspace: Item | undefined;
}

/** An item that has no event, or whose event lacks a part: a retry is of no use. */
export class Unpublishable extends Error {
  override readonly name = 'Unpublishable';
}

/**
 * The event that an item stands for in the state that it is in. It says what was true at its time,
 * and nothing that may have changed since: making it again gives the same event.
 *
 * @throws Unpublishable
 */
export const eventOf = ({ effect, paymentRequest, workspace }: EventItems): Event => {
  const { type, time, data, end = effect } = describe(effect, paymentRequest);
  const { actor, request } = (end.author ?? {}) as Partial<Author>;
  const what = [end.id, type.split('.')[1], effect.type === 'DELIVERY' && effect.reason];
  const { data: event, error } = Event.safeParse({
    id: `evt_${what.filter(Boolean).join('_')}`,
    type,
    version: 1,
    workspace: workspace?.id,
    account: workspace?.account,
    livemode: !isTestWorkspace(String(workspace?.id)),
    time,
    request_id: request,
    actor,
    data,
  });
  if (event) return event;
  const faults = error.issues.map(({ path, code }) => `${path.join('.')} (${code})`);
  throw new Unpublishable(`The event ${type} of ${effect.id} is not valid: ${faults.join(', ')}.`);
};

const describe = (
  effect: Item,
  paymentRequest: Item | undefined,
): { type: string; time: unknown; data: Item; end?: Item } => {
  const { type, status, created } = effect;
  const isNew = status === 'provisioning' || status === 'queued';
  const [act, time] = isNew ? ['created', created] : [status, effect.updated];
  switch (type) {
    case 'APPROVAL':
      return {
        type: 'payment_request.approved',
        time: created,
        data: {
          approval: { ...effect, record_version: effect.version },
          payment_request: { ...paymentRequest, status: 'approved' },
        },
      };
    case 'PAYMENT_REQUEST': {
      // Every later write repeats the state of the item, and the end is kept beside it.
      const { id, status, record_version, ...author } = Object(effect.ended);
      const data = { record_version, payment_request: { ...effect, status } };
      return { type: 'payment_request.ended', time: author.at, data, end: { id, author } };
    }
    case 'SANDBOX':
      return { type: `sandbox.${act}`, time, data: effect };
    case 'DELIVERY':
      return { type: `delivery_attempt.${act}`, time, data: effect };
    case 'REFUSAL':
      return { type: refusalType, time: created, data: effect };
    case 'REDACTION':
      return { type: 'personal_data.redacted', time: created, data: effect };
    default:
      throw new Unpublishable(`There is no event of an item of type ${type}.`);
  }
};
