import type { DeliverOffer, ProvisionSandbox } from './messages.ts';

/** A kind of item for which a message is sent when it is created, and what consumes the message. */
interface Outgoing {
  /** The item's `type`, which no two rows share. */
  readonly type: string;
  /** The `status` in which it waits until the message is consumed. */
  readonly status: string;
  // biome-ignore lint/suspicious/noExplicitAny: the members of an item depend on its type.
  readonly message: (item: Record<string, any>) => Readonly<Record<string, string>>;
  /** The function that consumes the message: its file under `functions`, without its ending. */
  readonly consumer: string;
}

/**
 * The items for which a message is sent, by the queue that gets it. From a row the stack makes the
 * queue, its dead letters, alarms and outputs, and the filter of `relay-outbox`, which sends the
 * messages. `wfp outbox relay` finds the items that still wait.
 */
export const outbox = {
  Provisioning: {
    type: 'SANDBOX',
    status: 'provisioning',
    message: ({ author, workspace, id }): ProvisionSandbox => ({
      request_id: author?.request,
      workspace,
      sandbox: id,
    }),
    consumer: 'provision-sandbox',
  },
  Delivery: {
    type: 'DELIVERY',
    status: 'queued',
    message: ({ author, workspace, offer, id }): DeliverOffer => ({
      request_id: author?.request,
      workspace,
      offer,
      delivery: id,
    }),
    consumer: 'deliver-offer',
  },
} as const satisfies Record<string, Outgoing>;

/** After so many sends of which nobody knows the outcome, an attempt's message is a dead letter. */
export const maximumFailures = 5;

/**
 * A message becomes a dead letter after this many receives; one may have been throttled, so that
 * no function has seen it.
 */
export const maximumReceives = 20;

/** The same for the message of a mail, which also waits for SES: an hour each time, at most. */
export const maximumMailReceives = 45;

export type OutboxQueue = keyof typeof outbox;

/** The environment variable with a queue's URL, for its senders. */
export const queueVariable = (queue: string) => `${queue.toUpperCase()}_QUEUE_URL`;
