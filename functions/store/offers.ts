import type { Author } from '../domain/author.ts';
import type { Caller } from '../domain/caller.ts';
import { OfferId } from '../domain/identifiers.ts';
import { type DeliveryAttempt, Offer } from '../domain/offer.ts';
import { Problem, unknownIdAdvice } from '../domain/problem.ts';
import { commit, putOf, updateOf, type Write } from './commit.ts';
import { keys } from './keys.ts';
import { readItem } from './read.ts';

/** An offer as an item; its delivery attempts are items of their own beside it. */
export const offerItem = (workspace: string, offer: Offer) => ({
  ...keys.offer(offer.id),
  type: 'OFFER',
  workspace,
  ...offer,
});

export const deliveryItem = (workspace: string, attempt: DeliveryAttempt) => ({
  ...keys.delivery(attempt.offer, attempt.id),
  type: 'DELIVERY',
  workspace,
  ...attempt,
});

/**
 * An offer of the caller's workspace.
 *
 * @throws Problem `offer_not_found`
 */
export const loadOffer = async (caller: Pick<Caller, 'workspace'>, id: string): Promise<Offer> => {
  const item = OfferId.safeParse(id).success ? await readItem(keys.offer(id)) : undefined;
  if (item?.workspace !== caller.workspace) {
    throw new Problem('offer_not_found', `There is no such offer. ${unknownIdAdvice}`);
  }
  return Offer.parse(item);
};

/**
 * Records a delivery attempt, and its offer's new number of attempts. The stream then starts its
 * delivery.
 *
 * @throws Conflict when another attempt was recorded since the offer was read, or it is not sent
 * @throws GuardRefused, OutcomeUnknown
 */
export const saveDeliveryAttempt = (
  workspace: string,
  before: Offer,
  { id, attempts, updated }: Offer,
  attempt: DeliveryAttempt,
  author: Author,
  guard?: Write,
): Promise<void> =>
  commit(
    [
      updateOf(keys.offer(id), { attempts, updated }, before, ['status', 'attempts']),
      putOf({ ...deliveryItem(workspace, attempt), author }),
    ],
    guard,
  );
