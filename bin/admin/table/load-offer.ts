import { type Author, authorIn } from '../../../functions/domain/author.ts';
import {
  DeliveryAttempt,
  Offer,
  type PresentedOffer,
  presentOffer,
} from '../../../functions/domain/offer.ts';
import { keys } from '../../../functions/store/keys.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { readPartition } from './scan.ts';

/** An attempt with the name that the mail provider gave to its mail, and its author. */
export type MailedAttempt = DeliveryAttempt & {
  readonly message_id?: string;
  readonly author: Author;
};

/** An offer as the API returns it, with its delivery attempts. */
export interface LoadedOffer {
  readonly workspace: string;
  readonly offer: PresentedOffer;
  /** The oldest first. */
  readonly attempts: readonly MailedAttempt[];
}

/** @throws AdminError when there is none */
export const loadOffer = async (id: string): Promise<LoadedOffer> => {
  const items = await readPartition(keys.offer(id).pk);
  const item = items.find(({ type }) => type === 'OFFER');
  if (!item) throw new AdminError(`There is no offer ${id}.`);
  const attempts = items
    .filter(({ type }) => type === 'DELIVERY')
    .map(({ message_id, ...attempt }) => ({
      ...DeliveryAttempt.parse(attempt),
      ...(typeof message_id === 'string' && { message_id }),
      author: authorIn(attempt),
    }));
  return {
    workspace: String(item.workspace),
    offer: presentOffer(Offer.parse(item), attempts.at(-1)),
    attempts,
  };
};
