import { Offer } from '../../../functions/domain/offer.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';

/** An offer of any workspace; undefined when there is none. */
export const findOffer = async (
  id: string,
): Promise<{ workspace: string; offer: Offer } | undefined> => {
  const item = await read(keys.offer(id));
  return item && { workspace: String(item.workspace), offer: Offer.parse(item) };
};
