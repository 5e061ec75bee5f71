import type { MailFate } from '../domain/mail-event.ts';
import { DeliveryAttempt, Offer, type Outcome } from '../domain/offer.ts';
import { change } from './commit.ts';
import { Conflict, settle } from './conflict.ts';
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
    const item = await loadAttempt(offerId, id);
    if (item.status === 'sending') throw new DeliveryTaken(`${id} is being sent.`);
    await summarize(item);
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
export const saveOutcome = ({ attempt }: TakenDelivery, outcome: Outcome): Promise<boolean> =>
  endDelivery(attempt.offer, attempt.id, outcome, ({ status }) => status === 'sending', attempt);

/** How an attempt ended, as far as is known. */
export type Ending = Outcome | MailFate;

/** Time within which those who end the same attempt sort themselves out. */
const patienceMs = 2000;

/**
 * Ends an attempt, and then says so in the offer's summary if it is the last one. What was read must
 * still be so; otherwise it is looked at again.
 *
 * Two writes, not one transaction: everybody who sends the offer again writes to the offer, and as
 * long as they keep it from us, a mail that has been sent would not be known as such, and be sent a
 * second time. A crash between the two is mended when the message comes again.
 *
 * @param known the attempt, if it has been read already
 * @returns whether the ending applied
 */
export const endDelivery = async (
  offer: string,
  id: string,
  ending: Ending,
  applies: (attempt: DeliveryAttempt) => boolean,
  known?: DeliveryAttempt,
): Promise<boolean> => {
  let latest: AttemptItem | undefined = known;
  const { item, applied } = await settle(async () => {
    const before = latest ?? (await loadAttempt(offer, id));
    latest = undefined;
    const attempt = DeliveryAttempt.parse(before);
    if (!applies(attempt)) return { item: before, applied: false };
    const after = await endAttempt(attempt, ending);
    if (!after) throw new Conflict(`${id} has changed.`);
    return { item: after, applied: true };
  }, patienceMs);
  await summarize(item);
  return applied;
};

type AttemptItem = Readonly<Record<string, unknown>>;

/** @returns the attempt's item after it, or undefined when the attempt has changed since */
const endAttempt = (before: DeliveryAttempt, ending: Ending) => {
  const fields = Object.entries({ ...ending, updated: new Date().toISOString() });
  const outdated = ['lease_ends', ...('reason' in ending ? [] : ['reason'])];
  return change({
    Key: keys.delivery(before.offer, before.id),
    UpdateExpression: `SET ${fields.map(([name]) => `#${name} = :${name}`)} REMOVE ${outdated} ADD revision :one`,
    ConditionExpression: `#status = :before AND ${
      before.reason ? 'reason = :reasonBefore' : 'attribute_not_exists(reason)'
    }`,
    ExpressionAttributeNames: Object.fromEntries(fields.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(fields.map(([name, value]) => [`:${name}`, value])),
      ':before': before.status,
      ...(before.reason && { ':reasonBefore': before.reason }),
      ':one': 1,
    },
  });
};

/**
 * Brings an offer's summary up to its last attempt. Its revision keeps an older state from undoing a
 * newer one; an attempt without one came with its offer and has not changed since.
 */
const summarize = async (item: AttemptItem): Promise<void> => {
  const { id, offer, status, reason, created, updated } = DeliveryAttempt.parse(item);
  const { revision } = item;
  if (!revision) return;
  await change({
    Key: keys.offer(offer),
    UpdateExpression: 'SET #delivery.last_attempt = :last, updated = :updated',
    ConditionExpression:
      '#delivery.last_attempt.id = :id AND NOT #delivery.last_attempt.revision >= :revision',
    ExpressionAttributeNames: { '#delivery': 'delivery' },
    ExpressionAttributeValues: {
      ':id': id,
      ':revision': revision,
      ':last': { id, status, ...(reason && { reason }), created, revision },
      ':updated': updated,
    },
  });
};

const loadAttempt = async (offer: string, id: string): Promise<AttemptItem> => {
  const item = await read(keys.delivery(offer, id));
  if (!item) throw new Error(`There is no delivery attempt ${id}.`);
  return item;
};
