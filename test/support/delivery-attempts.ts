import { loadOfferPartition } from '../../bin/admin/table/offers.ts';
import {
  type DeliveryAttempt,
  newDeliveryAttempt,
  Offer,
  type PresentedOffer,
  resend,
} from '../../functions/domain/offer.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem, saveDeliveryAttempt } from '../../functions/store/offers.ts';
import { readItem } from '../../functions/store/read.ts';
import { newOffer } from './tenants.ts';
import { author } from './test-author.ts';

/** An offer as it would be shown now. */
export const findShown = async (id: string): Promise<PresentedOffer> =>
  (await loadOfferPartition(id)).offer;

export const findSummary = async (id: string): Promise<PresentedOffer['delivery']> =>
  (await findShown(id)).delivery;

export const findAttempt = ({ offer, id }: DeliveryAttempt) => readItem(keys.delivery(offer, id));

/** The status of an attempt that is its offer's last, as the offer shows it. */
export const shownStatus = async ({ offer, id }: DeliveryAttempt) => {
  const { last_attempt } = await findSummary(offer);
  return last_attempt?.id === id ? last_attempt.status : undefined;
};

/** When the attempts of tests were made: a minute ago, so that a change shows in `updated`. */
export const created = new Date(Date.now() - 60_000).toISOString();

export const newAttempt = (offer = `ofr_${newOpaque()}`, at = created): DeliveryAttempt =>
  newDeliveryAttempt(offer, newOpaque(), at);

/** An offer whose last attempt waits in the queue, or is as far as `fields` say. */
export const waitingOffer = async (workspace: string, fields: Partial<DeliveryAttempt> = {}) => {
  const attempt = { ...newAttempt(), ...fields };
  const offer = await newOffer(workspace, { id: attempt.offer, attempts: 1 });
  await commitNew({ ...deliveryItem(workspace, attempt), author });
  return { offer, attempt };
};

/** Another attempt of an offer, which from now on is its last. */
export const anotherAttempt = async (offerId: string): Promise<DeliveryAttempt> => {
  const item = await readItem(keys.offer(offerId));
  const offer = Offer.parse(item);
  const attempt = newAttempt(offerId);
  await saveDeliveryAttempt(
    String(item?.workspace),
    offer,
    resend(offer, attempt),
    attempt,
    author,
  );
  return attempt;
};
