import type { Offer } from '../../functions/domain/offer.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';

/** The delivery summary of an offer, as it is in the table now. */
export const findSummary = async (offer: string): Promise<Offer['delivery']> =>
  (await read(keys.offer(offer)))?.delivery;
