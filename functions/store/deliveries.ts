import { DeliveryAttempt, Offer, type Outcome } from '../domain/offer.ts';
import { change } from './commit.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';

/** A delivery attempt that this consumer alone may send now, and the offer that it is for. */
export interface TakenDelivery {
  readonly workspace: string;
  readonly offer: Offer;
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
  offer: string,
  id: string,
): Promise<TakenDelivery | undefined> => {
  const now = Date.now();
  const taken = await change({
    Key: keys.delivery(offer, id),
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
  });
  const item = taken ?? (await read(keys.delivery(offer, id)));
  const attempt = DeliveryAttempt.parse(item);
  if (!taken && attempt.status === 'sending') throw new DeliveryTaken(`${id} is being sent.`);
  if (!taken) {
    await summarize(attempt);
    return undefined;
  }
  return {
    workspace: String(taken.workspace),
    offer: Offer.parse(await read(keys.offer(offer))),
    attempt,
  };
};

/** Records how an attempt ended, on the attempt and then on its offer. */
export const saveOutcome = async (attempt: DeliveryAttempt, outcome: Outcome): Promise<void> => {
  const fields = Object.entries({ ...outcome, updated: new Date().toISOString() });
  const key = keys.delivery(attempt.offer, attempt.id);
  const saved = await change({
    Key: key,
    UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`)} REMOVE lease_ends`,
    ConditionExpression: '#status = :sending',
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ':sending': 'sending',
    },
  });
  // Refused, it was saved before: by a try of this very call whose reply was lost, or by whoever took
  // the attempt over. The summary must say so either way.
  await summarize(DeliveryAttempt.parse(saved ?? (await read(key))));
};

/**
 * Brings an offer's summary up to date with its last attempt. It follows the attempt in a second
 * write; a crash between them is mended when the message comes again and finds the attempt ended.
 */
const summarize = ({ id, offer, status, reason, created, updated }: DeliveryAttempt) =>
  change({
    Key: keys.offer(offer),
    UpdateExpression: 'SET #delivery.last_attempt = :last, updated = :updated',
    ConditionExpression: '#delivery.last_attempt.id = :id',
    ExpressionAttributeNames: { '#delivery': 'delivery' },
    ExpressionAttributeValues: {
      ':id': id,
      ':last': { id, status, ...(reason && { reason }), created },
      ':updated': updated,
    },
  });
