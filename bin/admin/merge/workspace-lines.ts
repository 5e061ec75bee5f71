import * as z from 'zod/mini';
import type { Author } from '../../../functions/domain/author.ts';
import { Offer } from '../../../functions/domain/offer.ts';
import { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { faultParams } from '../../../functions/domain/problem.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { type EntryReader, entryReader } from './record-reader.ts';

/**
 * The most that a payment request may have as JSON. In the table it has at most half as much again,
 * as a list of digits has, and a claim on its approval holds its JSON as a text: both fit into
 * DynamoDB's 400 KB, with all that comes later.
 */
export const maximumRecordBytes = 256 * 1024;

const isWithinBound = (record: unknown) =>
  Buffer.byteLength(JSON.stringify(record)) <= maximumRecordBytes;

/** Payment requests as the contract shows them; what has one obvious beginning may be left out. */
export const paymentRequestLine = (workspace: string, now: string, author: Author): EntryReader => {
  const { status, note, documents, payment, created } = PaymentRequest.shape;
  const schema = z
    .strictObject({
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
    })
    .check(
      z.refine(isWithinBound, {
        error: `Is larger than ${maximumRecordBytes.toLocaleString('en')} bytes as JSON.`,
        params: faultParams('too_big'),
      }),
    );
  return entryReader(
    schema,
    (request) => ({ ...paymentRequestItem(workspace, { ...request, approvals: [] }), author }),
    ['status', 'payment'],
  );
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
