import type { MailFate } from '../domain/mail-event.ts';
import { DeliveryAttempt, Offer, type Outcome } from '../domain/offer.ts';
import { change } from './commit.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';

/** A delivery attempt that this consumer alone may send now, and the address of its offer. */
export interface TakenDelivery {
  readonly workspace: string;
  readonly recipient: string;
  readonly attempt: DeliveryAttempt;
}

/** Somebody else is sending this attempt, or was when they died: look again after their lease. */
export class DeliveryTaken extends Error {
  override readonly name = 'DeliveryTaken';
}

/** Longer than the consumer may run: who holds a lease beyond this is dead. */
const leaseMs = 60_000;

/**
 * Takes a queued attempt for sending; one whose consumer died is taken over when its lease ends.
 *
 * @returns undefined when the attempt has ended
 * @throws DeliveryTaken
 */
export const takeDelivery = async (
  offerId: string,
  id: string,
): Promise<TakenDelivery | undefined> => {
  const now = Date.now();
  const [taken, offer] = await Promise.all([
    change({
      Key: keys.delivery(offerId, id),
      UpdateExpression: 'SET #status = :sending, lease_ends = :ends, updated = :now',
      ConditionExpression: '#status = :queued OR (#status = :sending AND lease_ends < :nowMs)',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':queued': 'queued',
        ':sending': 'sending',
        ':ends': now + leaseMs,
        ':nowMs': now,
        ':now': new Date(now).toISOString(),
      },
    }),
    read(keys.offer(offerId)),
  ]);
  if (!taken) {
    const { status } = await loadAttempt(offerId, id);
    if (status === 'sending') throw new DeliveryTaken(`${id} is being sent.`);
    return undefined;
  }
  return {
    workspace: String(taken.workspace),
    recipient: Offer.shape.recipient_email.parse(offer?.recipient_email),
    attempt: DeliveryAttempt.parse(taken),
  };
};

/**
 * Records how sending an attempt ended, unless that was done before: by a try of this very call
 * whose reply was lost, by whoever took the attempt over, or by an event that was quicker than us.
 */
export const saveOutcome = ({ attempt }: TakenDelivery, outcome: Outcome): Promise<boolean> =>
  endDelivery(attempt, outcome);

/**
 * Ends an attempt, which must still be as it was read. Its offer is not written: everybody who sends the
 * offer again writes to it, and as long as they kept it from us, a mail that has been sent would not be
 * known as such, and be sent a second time.
 *
 * @returns whether it did
 */
export const endDelivery = async (
  before: DeliveryAttempt,
  ending: Outcome | MailFate,
): Promise<boolean> => {
  const fields = Object.entries({ ...ending, updated: new Date().toISOString() });
  const outdated = ['lease_ends', ...('reason' in ending ? [] : ['reason'])];
  const ended = await change({
    Key: keys.delivery(before.offer, before.id),
    UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`)} REMOVE ${outdated}`,
    ConditionExpression: `#status = :before AND ${
      before.reason ? 'reason = :reasonBefore' : 'attribute_not_exists(reason)'
    }`,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ':before': before.status,
      ...(before.reason && { ':reasonBefore': before.reason }),
    },
  });
  return ended !== undefined;
};

/** @throws Error when there is none */
export const loadAttempt = async (offer: string, id: string): Promise<DeliveryAttempt> => {
  const item = await read(keys.delivery(offer, id));
  if (!item) throw new Error(`There is no delivery attempt ${id}.`);
  return DeliveryAttempt.parse(item);
};
