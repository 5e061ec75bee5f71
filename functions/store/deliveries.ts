import type { MailFate } from '../domain/mail-event.ts';
import { DeliveryAttempt, Offer, type Outcome } from '../domain/offer.ts';
import { table } from './client.ts';
import { change, commit } from './commit.ts';
import { settle } from './conflict.ts';
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
    offer: Offer.parse(offer),
    attempt: DeliveryAttempt.parse(taken),
  };
};

/**
 * Records how sending an attempt ended, unless that was done before: by a try of this very call
 * whose reply was lost, by whoever took the attempt over, or by an event that was quicker than us.
 */
export const saveOutcome = (taken: TakenDelivery, outcome: Outcome): Promise<boolean> =>
  endDelivery(
    taken.offer.id,
    taken.attempt.id,
    outcome,
    ({ status }) => status === 'sending',
    taken,
  );

/** How an attempt ended, as far as is known. */
export type Ending = Outcome | MailFate;

/** Time within which those who write to the same offer sort themselves out. */
const patienceMs = 2000;

/**
 * Ends an attempt, and says so in the offer's summary if it is the last one, in one transaction: the
 * two never disagree. What was read must still be so; otherwise it is looked at again.
 *
 * @param known the attempt and its offer, if they have been read already
 * @returns whether the ending applied
 */
export const endDelivery = (
  offerId: string,
  id: string,
  ending: Ending,
  applies: (attempt: DeliveryAttempt) => boolean,
  known?: Pick<TakenDelivery, 'offer' | 'attempt'>,
): Promise<boolean> => {
  let latest = known;
  return settle(async () => {
    const { offer, attempt } = latest ?? (await loadDelivery(offerId, id));
    latest = undefined;
    if (!applies(attempt)) return false;
    const now = new Date().toISOString();
    // Once another attempt has followed, this one is never the last again.
    const isLast = offer.delivery.last_attempt?.id === id;
    await commit([
      endAttempt(attempt, ending, now),
      ...(isLast ? [summarize(attempt, ending, now)] : []),
    ]);
    return true;
  }, patienceMs);
};

const endAttempt = (before: DeliveryAttempt, ending: Ending, now: string) => {
  const fields = Object.entries({ ...ending, updated: now });
  const outdated = ['lease_ends', ...('reason' in ending ? [] : ['reason'])];
  return {
    Update: {
      TableName: table(),
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
    },
  };
};

const summarize = ({ id, offer, created }: DeliveryAttempt, ending: Ending, now: string) => ({
  Update: {
    TableName: table(),
    Key: keys.offer(offer),
    UpdateExpression: 'SET #delivery.last_attempt = :last, updated = :now',
    ConditionExpression: '#delivery.last_attempt.id = :id',
    ExpressionAttributeNames: { '#delivery': 'delivery' },
    ExpressionAttributeValues: {
      ':id': id,
      ':last': {
        id,
        status: ending.status,
        ...('reason' in ending && { reason: ending.reason }),
        created,
      },
      ':now': now,
    },
  },
});

const loadDelivery = async (offerId: string, id: string) => {
  const [attempt, offer] = await Promise.all([loadAttempt(offerId, id), read(keys.offer(offerId))]);
  return { attempt, offer: Offer.parse(offer) };
};

const loadAttempt = async (offer: string, id: string): Promise<DeliveryAttempt> => {
  const item = await read(keys.delivery(offer, id));
  if (!item) throw new Error(`There is no delivery attempt ${id}.`);
  return DeliveryAttempt.parse(item);
};
