import * as z from 'zod/mini';
import {
  ApprovalId,
  DeliveryAttemptId,
  OfferId,
  PaymentRequestId,
  SandboxId,
  WorkspaceId,
} from '../../../functions/domain/identifiers.ts';
import { claimKey, type Intent, keyLifetimeS } from '../../../functions/idempotency/intent.ts';
import { newestApproval } from '../../../functions/idempotency/saved-payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import type { Item, Key, Kind } from './kind.ts';
import { withoutAddress } from './offer.ts';
import { withoutDocuments } from './payment-request.ts';

/** The form of a hash in hexadecimal. */
export const sha256Form = /^[0-9a-f]{64}$/;

/** Where the effect of a claim is: the answer that the claim keeps names it. */
const effectKey = ({ operation, result }: Item): Key | undefined => {
  const answer = JSON.parse(String(result));
  switch (operation) {
    case 'approve-payment-request':
      return keys.approval(
        PaymentRequestId.parse(answer.id),
        ApprovalId.parse(newestApproval(answer)),
      );
    case 'create-sandbox':
      return keys.sandbox(WorkspaceId.parse(answer.workspace), SandboxId.parse(answer.id));
    case 'resend-offer':
    case 'send-offer': {
      const { id } = answer.delivery.last_attempt;
      return keys.delivery(OfferId.parse(answer.id), DeliveryAttemptId.parse(id));
    }
    default:
      return undefined;
  }
};

/** The completed record of an Idempotency-Key, with the saved answer. */
export const claim: Kind = {
  type: 'CLAIM',
  noun: 'saved answer',
  shape: {
    workspace: WorkspaceId,
    operation: z.string(),
    key: z.string(),
    fingerprint: z.string().check(z.regex(sha256Form)),
    status: z.literal('COMPLETED'),
    validation: z.string(),
    result: z.string(),
    expires: z.int(),
  },
  key: (record) => claimKey(record as unknown as Intent),
  isAnonymous: true,
  isCarried: true,
  rank: 2,
  need: (item) => {
    const { operation, key, workspace } = item;
    const effect = effectKey(item);
    if (!effect) return undefined;
    const what = `${effect.sk} in ${effect.pk}`;
    const isApproval = operation === 'approve-payment-request';
    return {
      key: effect,
      member: 'result',
      what,
      ...(isApproval && { owner: { ...effect, sk: keys.paymentRequest('').sk } }),
      code: 'claim_without_effect',
      detail: `The key ${JSON.stringify(key)} of ${workspace} is completed for ${operation}, but there is no ${what}.`,
    };
  },
  lost: (item) =>
    `The effect of ${item.operation} by ${item.workspace} with the key ${JSON.stringify(item.key)}, ${claim.need?.(item)?.what}, is lost: send the request again.`,
  subject: (item) => {
    try {
      effectKey(item);
      return String(JSON.parse(String(item.result))?.id);
    } catch {
      return '';
    }
  },
  redaction: {
    after: (item) => {
      const answer = JSON.parse(String(item.result));
      const after = 'recipient_email' in answer ? withoutAddress(answer) : withoutDocuments(answer);
      return { ...item, result: JSON.stringify(after) };
    },
  },
  invariants: {
    claim_without_effect: 'a claim (the record of an Idempotency-Key) whose effect does not exist',
  },
};

/** Lets the claims through that were completed since a time. */
export const claimedSince = (time: Date) => ({
  expression: '(#type = :claim AND #expires >= :expires)',
  values: { claim: claim.type, expires: Math.floor(time.getTime() / 1000) + keyLifetimeS },
});
