import * as z from 'zod/mini';
import { RecordId, RedactionId, Timestamp, WorkspaceId } from './identifiers.ts';
import type { Item } from './item.ts';

/** The most that one redaction names: the events of ten redactions fit into one PutEvents. */
export const maximumRedactedIds = 100;

/**
 * An operator's order to redact the personal data of payment requests with their approvals, and of
 * offers. It names them, and never the data.
 */
export const Redaction = z.object({
  id: RedactionId,
  workspace: WorkspaceId,
  ids: z.array(RecordId).check(z.minLength(1), z.maxLength(maximumRedactedIds)),
  created: Timestamp,
});
export type Redaction = z.infer<typeof Redaction>;

/** An address that the schema of an offer accepts and nobody has (RFC 2606, section 2). */
export const redactedAddress = 'redacted@redacted.invalid';

/**
 * An item without personal data; the same item where it has none. A record is marked, so that no
 * message brings the data back. It loses its hashes, from which the data could be guessed, and its
 * end, whose event must not follow that of the redaction.
 */
export const redacted = ({ hashes: _, ended: __, ...item }: Item): Item => {
  switch (item.type) {
    case 'PAYMENT_REQUEST':
      return {
        ...item,
        reference: 'redacted',
        note: '',
        documents: [],
        payment: item.payment && {},
        redacted: true,
      };
    case 'APPROVAL': {
      const { reason: _, ...rest } = item;
      return rest;
    }
    case 'OFFER': {
      // It would be mailed to the new address.
      const isSendable = item.status === 'draft' || item.status === 'sent';
      const status = isSendable ? 'voided' : item.status;
      return { ...item, recipient_email: redactedAddress, status, redacted: true };
    }
    default:
      return item;
  }
};
