import * as z from 'zod/mini';
import type { Author } from '../../../functions/domain/author.ts';
import { Offer } from '../../../functions/domain/offer.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { type EntryReader, entryReader } from './entry.ts';

/** Offers without their delivery attempts, which are records of their own. */
export const offerLine = (workspace: string, now: string, author: Author): EntryReader => {
  const { id, recipient_email, status, created } = Offer.shape;
  const schema = z.strictObject({
    id,
    recipient_email,
    status: z._default(status, 'draft'),
    created: z._default(created, now),
  });
  return entryReader(
    schema,
    (offer) => ({
      ...offerItem(workspace, { ...offer, attempts: 0, updated: offer.created }),
      author,
    }),
    ['status'],
  );
};
