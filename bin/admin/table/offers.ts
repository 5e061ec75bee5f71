import { authorIn } from '../../../functions/domain/author.ts';
import { Offer, presentOffer } from '../../../functions/domain/offer.ts';
import { keys } from '../../../functions/store/keys.ts';
import { required } from '../../command-line/admin-error.ts';
import { readPartition } from './scan.ts';
import { MailedAttempt, OfferItem } from './shapes.ts';

/**
 * An offer as the API returns it, with its author and its delivery attempts, the oldest first.
 *
 * @throws AdminError when there is none
 */
export const loadOfferPartition = async (id: string) => {
  const items = await readPartition(keys.offer(id).pk);
  const found = items.find(({ type }) => type === 'OFFER');
  const item = required(found, `There is no offer ${id}.`);
  const attempts = items
    .filter(({ type }) => type === 'DELIVERY')
    .map((attempt) => ({ ...MailedAttempt.parse(attempt), author: authorIn(attempt) }));
  const { workspace, version, changed } = OfferItem.parse(item);
  return {
    workspace,
    version,
    changed,
    offer: presentOffer(Offer.parse(item), attempts.at(-1)),
    author: authorIn(item),
    attempts,
  };
};
