import { encodeTime } from 'ulid';
import * as z from 'zod/mini';
import { type PaymentRequest, StoredPaymentRequest } from '../domain/payment-request.ts';
import { listApprovals } from '../store/payment-requests.ts';
import type { SavedForm } from './begin-key.ts';

/**
 * A payment request with its newest approvals only, deflated; those up to `earlier` are in the
 * table.
 */
const CompactPaymentRequest = z.extend(StoredPaymentRequest, {
  approvals: z.string(),
  earlier: z.nullable(z.string()),
});
type CompactPaymentRequest = z.infer<typeof CompactPaymentRequest>;

const keptApprovals = 100;
/**
 * Approvals that were this old before they were read have a stable list: the time is longer than a
 * function may run and clocks may differ, so no request adds another one among them.
 */
const stableAfterMs = 20_000;

/**
 * An item holds 400 KB, and an answer may be larger. So the approvals whose list is stable stay in
 * the table, where they will be found as they were, with any that was lost then and has been put
 * back since. The newest are saved: another approval may still be committed between them.
 *
 * Bounded by a partition's 1,000 writes per second: 20,000 identifiers, deflated to 15 bytes each.
 */
export const savedPaymentRequest: SavedForm<PaymentRequest> = {
  compact: ({ approvals, ...fields }, sinceMs): CompactPaymentRequest => {
    const stableBefore = `apprdec_${encodeTime(sinceMs - stableAfterMs)}`;
    // From the end: few are not stable yet, and there may be thousands before them.
    const firstUnstable = approvals.findLastIndex((id) => id < stableBefore) + 1;
    const from = Math.max(0, Math.min(firstUnstable, approvals.length - keptApprovals));
    return {
      ...fields,
      approvals: deflate(approvals.slice(from)),
      earlier: approvals[from - 1] ?? null,
    };
  },
  restore: async (saved) => {
    const { earlier, approvals, ...fields } = CompactPaymentRequest.parse(saved);
    const before = earlier ? await listApprovals(fields.id, earlier) : [];
    return StoredPaymentRequest.parse({ ...fields, approvals: [...before, ...inflate(approvals)] });
  },
};

/** The approval that a saved answer is about: the last that it lists. */
export const newestApproval = (saved: unknown): string =>
  inflate(CompactPaymentRequest.parse(saved).approvals).at(-1) ?? '';

/** Not imported: loading it takes 2 ms, and only requests with a key need it. */
const zlib = () => process.getBuiltinModule('node:zlib');

const deflate = (approvals: readonly string[]): string =>
  zlib().deflateRawSync(JSON.stringify(approvals)).toString('base64');

const inflate = (approvals: string): string[] =>
  JSON.parse(zlib().inflateRawSync(Buffer.from(approvals, 'base64')).toString());
