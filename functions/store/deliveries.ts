import type { MailEvent, MailResult } from '../domain/mail-event.ts';
import { DeliveryAttempt, type DeliveryResult, Offer } from '../domain/offer.ts';
import { endTimes } from './attributes.ts';
import { update, updateItem } from './commit.ts';
import { Conflict, retry } from './conflict.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';
import { works } from './work.ts';

/** A delivery attempt that this consumer alone may send now, and the address of its offer. */
export interface TakenDelivery {
  readonly workspace: string;
  readonly offer: string;
  readonly id: string;
  readonly recipient: string;
  /** When another consumer may take it over, in milliseconds since the epoch. */
  readonly leaseEnds: number;
}

/** SES accepted a mail, and that could not be recorded: it is sent again with its message. */
export class DeliveryInDoubt extends Error {
  override readonly name = 'DeliveryInDoubt';
  /** The identifier that SES gave the mail, named as in the log. */
  readonly ses_message_id: string;

  constructor(sesMessageId: string, { name }: Error) {
    super(`SES accepted the mail, and recording that failed until the time was up (${name}).`);
    this.ses_message_id = sesMessageId;
  }
}

/** Longer than the consumer may run: after it, the holder of a lease is dead. */
export const leaseMs = 60_000;

/**
 * Takes a queued attempt for sending; one whose consumer died is taken over when its lease ends.
 * Its `takes` are counted.
 *
 * @returns undefined when the attempt has ended
 * @throws Error when another consumer is sending it, or died while it did: it comes again
 */
export const takeDelivery = async (
  offer: string,
  id: string,
): Promise<TakenDelivery | undefined> => {
  const now = Date.now();
  const leaseEnds = now + leaseMs;
  const [taken, offerItem] = await Promise.all([
    updateItem({
      Key: keys.delivery(offer, id),
      UpdateExpression: 'SET #status = :sending, lease_ends = :ends, updated = :now ADD takes :one',
      ConditionExpression: '#status = :queued OR (#status = :sending AND lease_ends < :nowMs)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':queued': 'queued',
        ':sending': 'sending',
        ':ends': leaseEnds,
        ':nowMs': now,
        ':now': new Date(now).toISOString(),
        ':one': 1,
      },
    }),
    read(keys.offer(offer)),
  ]);
  if (!taken) {
    const { status } = await loadAttempt(offer, id);
    if (status === 'sending') throw new Error(`${id} is being sent.`);
    return undefined;
  }
  const recipient = Offer.shape.recipient_email.parse(offerItem?.recipient_email);
  return { workspace: String(offerItem?.workspace), offer, id, recipient, leaseEnds };
};

/**
 * Puts an attempt back whose mail SES has refused to take now, unless another consumer has taken it
 * over. Its `waits` are counted.
 */
export const putBackDelivery = async ({ offer, id, leaseEnds }: TakenDelivery): Promise<void> => {
  await updateItem({
    Key: keys.delivery(offer, id),
    UpdateExpression: 'SET #status = :queued, updated = :now REMOVE lease_ends ADD waits :one',
    ConditionExpression: '#status = :sending AND lease_ends = :ends',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: {
      ':queued': 'queued',
      ':sending': 'sending',
      ':ends': leaseEnds,
      ':now': new Date().toISOString(),
      ':one': 1,
    },
  });
};

/**
 * How often an attempt that has not ended, or its message, has failed. A wait for SES is no
 * failure. A message that comes for the first time may send the attempt once in any case.
 *
 * @param receives how often the message has come, this time included
 * @param earlier how often the attempt had failed before the message
 */
export const countFailures = async (
  offer: string,
  id: string,
  receives: number,
  earlier: number,
): Promise<number> => {
  if (receives === 1) return 0;
  const { status = 'queued', takes = 0, waits = 0 } = (await read(keys.delivery(offer, id))) ?? {};
  const isWaiting = status === 'queued' || status === 'sending';
  // An attempt that was not taken fails too. Earlier versions did not count `takes`.
  return isWaiting ? Math.max(earlier + receives - 1, takes) - waits : 0;
};

/**
 * Records how sending an attempt ended, unless that was done before: by a try of this very call
 * whose reply was lost, by the consumer that took the attempt over, or by an event that was quicker
 * than us.
 *
 * A mail that is not known as sent is sent a second time. So whatever goes wrong is tried again for
 * `patienceMs`, after which calls under way are broken off.
 *
 * @throws DeliveryInDoubt
 */
export const saveDeliveryResult = async (
  { offer, id }: TakenDelivery,
  result: DeliveryResult,
  patienceMs: number,
): Promise<void> => {
  const save = () => endDelivery({ offer, id, status: 'sending' }, result);
  try {
    await works.run({ deadline: AbortSignal.timeout(patienceMs) }, () =>
      retry(save, patienceMs, () => true),
    );
  } catch (error) {
    if (result.status !== 'sent') throw error;
    throw new DeliveryInDoubt(result.message_id, error as Error);
  }
};

/**
 * Ends an attempt, which must still be as it was read. Its offer is not written: every resend
 * writes to it, and while they contend for it, a mail that has been sent would not be recorded as
 * sent, and would be sent a second time.
 *
 * @returns whether it did
 */
export const endDelivery = (
  before: Pick<DeliveryAttempt, 'offer' | 'id' | 'status' | 'reason'>,
  result: DeliveryResult | MailResult,
): Promise<boolean> => {
  const now = new Date().toISOString();
  const times = { updated: now, [endTimes[result.status]]: now };
  const after = { lease_ends: undefined, reason: undefined, ...result, ...times };
  const key = keys.delivery(before.offer, before.id);
  return updateItem(update(key, after, before, ['status', 'reason']).Update);
};

/**
 * Records what became of an attempt's mail.
 *
 * @throws Conflict when the attempt has changed since it was read
 */
export const saveMailEvent = async (
  before: DeliveryAttempt,
  { request_id: _, workspace: __, offer: ___, delivery, ...result }: MailEvent,
): Promise<void> => {
  if (!(await endDelivery(before, result))) throw new Conflict(`${delivery} has changed.`);
};

/** @throws Error when there is none */
export const loadAttempt = async (offer: string, id: string): Promise<DeliveryAttempt> => {
  const item = await read(keys.delivery(offer, id));
  if (!item) throw new Error(`There is no delivery attempt ${id}.`);
  return DeliveryAttempt.parse(item);
};
