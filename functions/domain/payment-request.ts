import * as z from 'zod/mini';
import { Act } from './author.ts';
import { misspeltTags, nameVersion } from './entity-tags.ts';
import {
  AccountId,
  ApprovalId,
  ManagerId,
  PaymentRequestId,
  Timestamp,
  WorkerId,
} from './identifiers.ts';
import { faultParams, Problem } from './problem.ts';
import { storedText, text } from './text.ts';

const calendarDate = z.iso.date('Must be a date, such as 2026-10-31.');

const period = z.object({ starts: calendarDate, ends: calendarDate });

/** A worker's request to be paid, as in the contract. `amount` is decimal text: `"1250.00"`. */
export const PaymentRequest = z.object({
  id: PaymentRequestId,
  worker: WorkerId,
  amount: z.string().check(
    z.regex(
      // One amount has one spelling.
      /^(?:0|[1-9]\d{0,14})\.\d{2}$/,
      'Must be digits without a leading zero, a point and two decimals, such as 1250.00 or 0.10.',
    ),
  ),
  currency: z.string().check(z.regex(/^[A-Z]{3}$/, 'Must be three capital letters, such as USD.')),
  status: z.enum(['draft', 'pending', 'approved', 'rejected', 'paid', 'cancelled']),
  reference: text(1, 255),
  note: text(0, 1000),
  period: period.check(
    // Dates of this form are in the order of their text.
    z.refine(({ starts, ends }) => starts <= ends, {
      error: 'Must not be before the day on which the period starts.',
      params: faultParams('ends_before_start'),
      path: ['ends'],
      when: ({ issues }) => issues.length === 0,
    }),
  ),
  documents: z.array(z.unknown()),
  approvals: z.array(ApprovalId),
  payment: z.nullable(z.record(z.string(), z.unknown())),
  created: Timestamp,
});
export type PaymentRequest = z.infer<typeof PaymentRequest>;

/** The same as stored: what was accepted once can be read and approved for ever. */
export const StoredPaymentRequest = z.extend(PaymentRequest, {
  reference: storedText(1, 255),
  note: storedText(0, 1000),
  period,
});

/**
 * With what no response shows: the version of the last message, the version that set the status if
 * that is another one, and whether the last message differs from what was approved.
 */
export const VersionedPaymentRequest = z.extend(StoredPaymentRequest, {
  version: z.optional(z.int()),
  status_version: z.optional(z.int()),
  differs: z.optional(z.literal(true)),
});
export type VersionedPaymentRequest = z.infer<typeof VersionedPaymentRequest>;

/** One manager's decision. Any number may be taken on one payment request. */
export const Approval = z.object({
  id: ApprovalId,
  payment_request: PaymentRequestId,
  approver: ManagerId,
  reason: z.optional(storedText(1, 1000)),
  /** Of the record that was approved, 0 where no message had come; none if it `differs`. */
  version: z.optional(z.int()),
  /** Of the request. */
  previous_status: PaymentRequest.shape.status,
  created: Timestamp,
});
export type Approval = z.infer<typeof Approval>;

/** How a record has ended a request after an approval, until another end or approval. */
export const End = z.object({
  ...Act.shape,
  id: z.string().check(z.regex(/^end_[0-9A-Z]{26}$/)),
  status: z.enum(['rejected', 'paid', 'cancelled']),
  record_version: z.int(),
});
export type End = z.infer<typeof End>;

export const ApprovePaymentRequest = z.strictObject({
  approver: ManagerId,
  reason: z.optional(text(1, 1000)),
});
export type ApprovePaymentRequest = z.infer<typeof ApprovePaymentRequest>;

/** The approval that a request asks for. The worker sees its reason. */
export const newApproval = (
  { id, status, version = 0, differs }: VersionedPaymentRequest,
  body: ApprovePaymentRequest,
  opaque: string,
  now: string,
): Approval => ({
  id: `apprdec_${opaque}`,
  payment_request: id,
  ...body,
  ...(!differs && { version }),
  previous_status: status,
  created: now,
});

/** Someone who may approve for an account. */
export const Manager = z.object({
  id: ManagerId,
  account: AccountId,
  created: Timestamp,
  /** Who removed the manager, until someone has added it again. */
  removed: z.optional(Act),
  /** Who has added it again. */
  added: z.optional(Act),
});
export type Manager = z.infer<typeof Manager>;

const differsAdvice =
  'The record ended with another worker, amount or currency than was approved, so no version names what an approval approves. Show the manager what was approved, and send If-Match: *.';

const versionAdvice = (ifMatch: readonly string[], version: number) => {
  const misspelt = misspeltTags(ifMatch);
  return misspelt
    ? `If-Match is ${misspelt}, which names no version. A version is a whole number in double quotes, such as "7".`
    : `The record has version ${version}. Load it again and show it to the manager. If the manager saw a newer version, wait until it has been imported.`;
};

/**
 * Whatever its state, an approved request is `approved` and lists the new decision last.
 *
 * @param ifMatch the entity tags of which one must be that of the version, if any are given
 * @throws Problem `not_a_manager`, `version_mismatch`
 */
export const approve = (
  { version = 0, status_version: _, differs, ...paymentRequest }: VersionedPaymentRequest,
  manager: Manager | undefined,
  approval: Approval,
  ifMatch?: readonly string[],
): PaymentRequest => {
  if (!manager) {
    throw new Problem(
      'not_a_manager',
      'The approver is not a manager of the account that the access token acts for.',
    );
  }
  // Where the last message differs from what was approved, no version shows what is approved now.
  if (ifMatch && !nameVersion(ifMatch, differs ? undefined : version)) {
    const advice = differs ? differsAdvice : versionAdvice(ifMatch, version);
    throw new Problem('version_mismatch', advice, differs ? {} : { version });
  }
  return {
    ...paymentRequest,
    status: 'approved',
    approvals: [...paymentRequest.approvals, approval.id],
  };
};
