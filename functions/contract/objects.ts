import * as z from 'zod/mini';
import {
  AttemptSummary,
  type BounceReason,
  bounceReasons,
  type FailureReason,
  failureReasons,
  Offer,
  type PresentedOffer,
} from '../domain/offer.ts';
import { StoredPaymentRequest } from '../domain/payment-request.ts';
import { Sandbox } from '../domain/sandbox.ts';
import type { DescribedSchema } from './operation.ts';

/** A payment request as a response, which may have been accepted under earlier, wider rules. */
export const paymentRequest: DescribedSchema = {
  name: 'PaymentRequest',
  schema: StoredPaymentRequest,
  descriptions: {
    '': "A worker's request to be paid.",
    id: 'Identifier of the payment request.',
    worker: 'Identifier of the worker. Personal data.',
    amount: 'A decimal number with two fractional digits.',
    currency: 'ISO 4217 code.',
    status: 'An approval changes any status to `approved`.',
    reference: 'Short reference code. Personal data; `redacted` after a redaction.',
    note: 'Free text. Personal data; empty after a redaction.',
    period: 'The days that the payment covers.',
    'period.starts': 'The first day.',
    'period.ends': 'The last day.',
    documents: 'Documents attached to the request. Personal data; empty after a redaction.',
    approvals: 'One identifier for each approval, oldest first.',
    payment: 'Null until a payment exists. Personal data; an empty object after a redaction.',
    created: 'When it was created, in UTC.',
  },
};

export const sandbox: DescribedSchema = {
  name: 'Sandbox',
  schema: Sandbox,
  descriptions: {
    '': 'An isolated test workspace of a live workspace.',
    id: 'Identifier of the sandbox. The order of identifiers is the order of creation.',
    name: 'The name given at creation.',
    status: '`provisioning` until the test workspace is filled, then `ready`.',
    workspace: 'Identifier of the live workspace that owns the sandbox.',
    sandbox_workspace: 'Identifier of the test workspace.',
    created: 'When it was created, in UTC.',
    updated: 'When it last changed, in UTC.',
  },
};

const { attempts, created, updated, ...fields } = Offer.shape;
const OfferResponse: z.ZodMiniType<PresentedOffer> = z.object({
  ...fields,
  delivery: z.object({
    attempts,
    last_attempt: z.nullable(AttemptSummary),
  }),
  created,
  updated,
});

const reasons: Readonly<Record<FailureReason | BounceReason, string>> = {
  message_rejected: 'the mail provider refused the message',
  invalid_message: 'the mail provider could not read the message',
  restored: 'operators restored the table, and the mail may have been sent',
  transient:
    'the mailbox did not take the message for the time being, for example because it was full',
  undetermined: 'the bounce does not say why',
  suppressed:
    'not sent, because an earlier message to this address bounced or was reported as spam',
  permanent: 'the address does not exist, or its server refuses the message for good',
};
const listed = (names: readonly (keyof typeof reasons)[]) =>
  names.map((name) => `\`${name}\` (${reasons[name]})`).join(', ');

export const reasonDescription = `A code for why the attempt failed: ${listed(failureReasons)}; or bounced: ${listed(bounceReasons)}. More codes may be added.`;

export const offer: DescribedSchema = {
  name: 'Offer',
  schema: OfferResponse,
  descriptions: {
    '': 'An offer and its delivery status.',
    id: 'Identifier of the offer.',
    status: 'Only a `sent` offer can be sent again.',
    recipient_email:
      'E-mail address of the recipient. Personal data; `redacted@redacted.invalid` after a redaction.',
    delivery: 'Summary of the delivery attempts.',
    'delivery.attempts': 'Number of delivery attempts, including the first delivery.',
    'delivery.last_attempt': 'The newest delivery attempt. Null before the first.',
    'delivery.last_attempt.id': 'Identifier of the delivery attempt.',
    'delivery.last_attempt.status':
      '`queued`, then `sending`, then `sent` or `failed`. A `sent` attempt can become `delivered`, `bounced` or `complained`. `simulated` in a test workspace.',
    'delivery.last_attempt.reason': reasonDescription,
    'delivery.last_attempt.created': 'When it was requested, in UTC.',
    created: 'When the offer was created, in UTC.',
    updated: 'When it last changed, in UTC.',
  },
};
