import * as z from 'zod/mini';
import type { Author } from '../../../functions/domain/author.ts';
import { Offer } from '../../../functions/domain/offer.ts';
import { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import type { Fault } from '../../../functions/domain/problem.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { lackOfRoom, refusalOf } from '../table/item-limits.ts';
import { type Entry, type EntryReader, entryReader, refused } from './entry.ts';

/** Payment requests as the contract shows them; what has one obvious beginning may be left out. */
export const paymentRequestLine = (workspace: string, now: string, author: Author): EntryReader => {
  const { status, note, documents, payment, created } = PaymentRequest.shape;
  const schema = z.strictObject({
    ...PaymentRequest.shape,
    status: z._default(status, 'pending'),
    note: z._default(note, ''),
    documents: z._default(documents, []),
    payment: z._default(payment, null),
    created: z._default(created, now),
    // Identifiers alone do not say who approved, when and why.
    approvals: z._default(
      z
        .array(z.unknown())
        .check(z.maxLength(0, 'Approvals are records of their own: an export holds them.')),
      [],
    ),
  });
  const reader = entryReader(
    schema,
    (request) => ({ ...paymentRequestItem(workspace, { ...request, approvals: [] }), author }),
    ['status', 'payment'],
  );
  return { ...reader, read: (value) => withRoom(reader.read(value)) };
};

/** The entry, or a fault if it could not be approved, exported and imported again later. */
const withRoom = (entry: Entry | Fault[]): Entry | Fault[] => {
  // What the table does not take at all is a fault of any line (`readEntry`).
  if (Array.isArray(entry) || refusalOf(entry.item)) return entry;
  const { pk: _, sk: __, type, workspace, author, ...answer } = entry.item;
  const reason = lackOfRoom(entry.item, answer);
  return reason ? [refused(reason)] : entry;
};

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
