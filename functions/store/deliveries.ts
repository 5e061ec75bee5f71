import type { MailEvent, MailResult } from '../domain/mail-event.ts';
import { DeliveryAttempt, type DeliveryResult, endTimes, Offer } from '../domain/offer.ts';
import { maximumFailures } from '../domain/outbox.ts';
import { updateOf, writeAlone } from './commit.ts';
import { Conflict, retry } from './conflict.ts';
import { keys } from './keys.ts';
import { readItem } from './read.ts';
import { currentWork } from './write-tries.ts';

/** A delivery attempt that this consumer alone may send now, and the address of its offer. */
export interface TakenDelivery {
  readonly workspace: string;
  readonly offer: string;
  readonly id: string;
  readonly recipient: string;
  /** When another consumer may take it over, in milliseconds since the epoch. */
  readonly leaseEnds: number;
  /**
   * How often it was taken before, by whichever of its messages, and not put back. SQS counts the
   * receives of one message, including those that only wait.
   */
  readonly takes: number;
}

/** SES accepted a mail, and that could not be recorded: it is sent again with its message. */
export class DeliveryInDoubt extends Error {
  override readonly name = 'DeliveryInDoubt';
}

/** An attempt was taken for sending five times, and nobody knows whether its mail was sent. */
export class FailedTooOften extends Error {
  override readonly name = 'FailedTooOften';
  readonly isFinal = true;
}

/** Longer than the consumer may run: after it, the holder of a lease is dead. */
export const leaseMs = 60_000;

/**
 * Takes a queued attempt for sending; one whose consumer died is taken over when its lease ends.
 *
 * Adds one to `takes`. `putBackDelivery` subtracts it, so that only failures count, after which the
 * mail may have been sent. A late try of this write finds another `updated`, and changes nothing.
 *
 * @param isFirst whether SQS has not delivered the message before. One that is redriven is a new
 * message, and sends the mail in any case
 * @returns undefined when the attempt has ended
 * @throws FailedTooOften; Error during the lease of another consumer, dead or alive
 */
export const takeDelivery = (
  offer: string,
  id: string,
  isFirst: boolean,
): Promise<TakenDelivery | undefined> =>
  retry(async () => {
    const key = keys.delivery(offer, id);
    const [attempt, offerItem] = await Promise.all([readItem(key), readItem(keys.offer(offer))]);
    const { status, takes: earlier = 0, lease_ends = 0 } = attempt ?? {};
    const now = Date.now();
    if (!attempt) throw new Error(`There is no delivery attempt ${id}.`);
    if (status !== 'queued' && status !== 'sending') return undefined;
    if (status === 'sending' && lease_ends >= now) throw new Error(`${id} is being sent.`);
    const takes = earlier >= maximumFailures && isFirst ? 0 : earlier;
    if (takes >= maximumFailures) throw new FailedTooOften(`${id} has failed ${takes} times.`);
    const leaseEnds = now + leaseMs;
    const times = { lease_ends: leaseEnds, updated: new Date(now).toISOString() };
    const after = { status: 'sending', takes: takes + 1, ...times };
    if (!(await writeAlone(updateOf(key, after, attempt, ['status', 'updated']))))
      throw new Conflict(`${id} has changed.`);
    const recipient = Offer.shape.recipient_email.parse(offerItem?.recipient_email);
    return { workspace: String(offerItem?.workspace), offer, id, recipient, leaseEnds, takes };
  });

/**
 * Puts an attempt back whose mail SES does not take now, as if it had not been taken, unless
 * another consumer has taken it over.
 */
export const putBackDelivery = async (taken: TakenDelivery): Promise<void> => {
  const { offer, id, leaseEnds, takes } = taken;
  const updated = new Date().toISOString();
  const before = { status: 'sending', lease_ends: leaseEnds };
  const after = { status: 'queued', takes, lease_ends: undefined, updated };
  const write = updateOf(keys.delivery(offer, id), after, before, ['status', 'lease_ends']);
  await retry(() => writeAlone(write));
};

/** Lets an attempt that has failed too often be taken as often again, when it is redriven. */
export const resetTakes = async (offer: string, id: string): Promise<void> => {
  const key = keys.delivery(offer, id);
  const attempt = await readItem(key);
  if (!(attempt?.takes >= maximumFailures)) return;
  const write = updateOf(key, { takes: 0 }, { ...attempt }, ['status', 'updated']);
  await retry(() => writeAlone(write));
};

/**
 * Records how sending an attempt ended, unless that was done before: by a try of this very call
 * whose response was lost, by the consumer that took the attempt over, or by an event of SES.
 *
 * A mail that is not recorded as sent is sent a second time. So every error is retried for
 * `patienceMs`; then calls under way are aborted.
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
    await currentWork.run({ deadline: AbortSignal.timeout(patienceMs) }, () =>
      retry(save, patienceMs, () => true),
    );
  } catch (error) {
    if (result.status !== 'sent') throw error;
    const accepted = `SES accepted the mail ${result.message_id}`;
    throw new DeliveryInDoubt(`${accepted}, and recording that failed until the time was up.`, {
      cause: error,
    });
  }
};

/**
 * Ends an attempt, which must still be as it was read. Its offer is not written: resends contend
 * for that, and a mail that could not be recorded as sent would be sent a second time.
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
  return writeAlone(updateOf(key, after, before, ['status', 'reason']));
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
  const item = await readItem(keys.delivery(offer, id));
  if (!item) throw new Error(`There is no delivery attempt ${id}.`);
  return DeliveryAttempt.parse(item);
};
