import * as z from 'zod/mini';
import { OfferId, PaymentRequestId, RedactionId, Timestamp, WorkspaceId } from './identifiers.ts';

/** The most that one redaction names: the events of ten redactions fit into one PutEvents. */
export const maximumRedactedIds = 100;

/**
 * An operator's order to redact the personal data of payment requests with their approvals, and of
 * offers. It names them, and never the data.
 */
export const Redaction = z.object({
  id: RedactionId,
  workspace: WorkspaceId,
  ids: z
    .array(z.union([PaymentRequestId, OfferId]))
    .check(z.minLength(1), z.maxLength(maximumRedactedIds)),
  created: Timestamp,
});
export type Redaction = z.infer<typeof Redaction>;
