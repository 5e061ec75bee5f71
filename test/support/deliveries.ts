import {
  type DeliveryAttempt,
  newDeliveryAttempt,
  Offer,
  resend,
} from '../../functions/domain/offer.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { newOpaque } from '../../functions/store/identifiers.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem, findOffer, saveDeliveryAttempt } from '../../functions/store/offers.ts';
import { read } from '../../functions/store/read.ts';
import { newOffer } from './tenants.ts';

/** The delivery summary of an offer, as it would be shown now. */
export const findSummary = async (offer: string): Promise<Offer['delivery']> =>
  Offer.parse(await read(keys.offer(offer))).delivery;

export const findAttempt = ({ offer, id }: DeliveryAttempt) => read(keys.delivery(offer, id));

/** What an attempt says of itself, and what the summary says of its offer's last attempt. */
export const statusesOf = async (attempt: DeliveryAttempt) => [
  (await findAttempt(attempt))?.status,
  (await findSummary(attempt.offer)).last_attempt?.status,
];

/** When the attempts of tests were made: a minute ago, so that a change shows in `updated`. */
export const created = new Date(Date.now() - 60_000).toISOString();

export const newAttempt = (offer: string) => newDeliveryAttempt(offer, newOpaque(), created);

export const saveAttempt = async (attempt: DeliveryAttempt, workspace: string) => {
  await commitNew(deliveryItem(workspace, attempt));
  return attempt;
};

/** An offer whose last attempt waits in the queue, or is as far as `fields` say. */
export const waitingOffer = async (workspace: string, fields: Partial<DeliveryAttempt> = {}) => {
  const attempt = { ...newAttempt(`ofr_${newOpaque()}`), ...fields };
  const { id, status, reason } = attempt;
  const offer = await newOffer(workspace, {
    id: attempt.offer,
    delivery: { attempts: 1, last_attempt: { id, status, reason, created } },
  });
  await saveAttempt(attempt, workspace);
  return { offer, attempt };
};

/** Another attempt of an offer, which from now on is its last. */
export const anotherAttempt = async (offerId: string): Promise<DeliveryAttempt> => {
  const found = await findOffer(offerId);
  if (!found) throw new Error(`There is no offer ${offerId}.`);
  const attempt = newAttempt(offerId);
  await saveDeliveryAttempt(found.workspace, found.offer, resend(found.offer, attempt), attempt);
  return attempt;
};
