import { changesIn, type SourceChange } from '../support/changed-sources.ts';
import type { checks } from './checks.ts';

/** A change that breaks a promise, and the check that finds it. */
export interface Break {
  readonly about: string;
  readonly check: keyof typeof checks;
  /** The functions that get it; without any, the operators' command line. */
  readonly functions: readonly string[];
  readonly changes: readonly SourceChange[];
}

const change = changesIn('functions');
const powertools = changesIn('node_modules/@aws-lambda-powertools/idempotency/lib/esm');

/**
 * Changes that one could make without a thought for the data of a release. Those of `replays` would
 * break the replays of thirty days in silence.
 */
export const breaks: readonly Break[] = [
  {
    about: 'a function is renamed, whose name is a part of the key of its claims',
    check: 'replays',
    functions: ['resend-offer'],
    changes: change('domain/routes.ts', "functionName: 'resend-offer'", "functionName: 'resend'"),
  },
  {
    about: 'a body gets a default, which is a part of its fingerprint',
    check: 'replays',
    functions: ['create-sandbox'],
    changes: change(
      'domain/sandbox.ts',
      'name: z.pipe(z.string().check(z.trim()), Name),',
      "name: z.pipe(z.string().check(z.trim()), Name), kind: z._default(z.string(), 'empty'),",
    ),
  },
  {
    about: 'a reason is trimmed before its request is fingerprinted',
    check: 'replays',
    functions: ['approve-payment-request'],
    changes: change(
      'domain/payment-request.ts',
      'approver: ManagerId,\n  reason: z.optional(text(1, 1000)),',
      'approver: ManagerId,\n  reason: z.optional(z.pipe(z.string().check(z.trim()), text(1, 1000))),',
    ),
  },
  {
    about: 'an approver keeps the case in which it was sent',
    check: 'replays',
    functions: ['approve-payment-request'],
    changes: change('domain/identifiers.ts', 'z.toLowerCase(), z.guid(', 'z.guid('),
  },
  {
    about: 'Powertools hashes a request in another way',
    check: 'replays',
    functions: ['approve-payment-request'],
    changes: powertools(
      'persistence/BasePersistenceLayer.js',
      "hash.digest('base64')",
      "hash.digest('base64url')",
    ),
  },
  {
    about: 'the key of a claim is made in another order',
    check: 'replays',
    functions: ['resend-offer'],
    changes: change(
      'idempotency/intent.ts',
      '[workspace, operation, key]',
      '[operation, workspace, key]',
    ),
  },
  {
    about: 'an answer has its members in another order',
    check: 'replays',
    functions: ['approve-payment-request'],
    changes: change(
      'domain/payment-request.ts',
      'id: PaymentRequestId,\n  worker: WorkerId,',
      'worker: WorkerId,\n  id: PaymentRequestId,',
    ),
  },
  {
    about: 'saved approvals are kept as a list',
    check: 'replays',
    functions: ['approve-payment-request'],
    changes: change(
      'idempotency/saved-payment-request.ts',
      'approvals: z.string(),',
      'approvals: z.any().check(z.refine(Array.isArray)),',
    ),
  },
  {
    about: 'a record in progress has another status',
    check: 'keys in use',
    functions: ['resend-offer'],
    changes: powertools('constants.js', "INPROGRESS: 'INPROGRESS'", "INPROGRESS: 'STARTED'"),
  },
  {
    about: 'a token needs a name',
    check: 'tokens',
    functions: ['authorize'],
    changes: change('domain/token.ts', 'z.optional(storedText(1, 255))', 'storedText(1, 255)'),
  },
  {
    about: 'a cursor has another version',
    check: 'lists',
    functions: ['list-sandboxes'],
    changes: change('http/cursor.ts', 'const version = 1;', 'const version = 2;'),
  },
  {
    about: 'a stored sandbox needs another member',
    check: 'lists',
    functions: ['list-sandboxes'],
    changes: change(
      'domain/sandbox.ts',
      'sandbox_workspace: TestWorkspaceId,',
      'sandbox_workspace: TestWorkspaceId, owner: z.string(),',
    ),
  },
  {
    about: 'a stored payment request needs another member',
    check: 'approvals',
    functions: ['approve-payment-request'],
    changes: change(
      'domain/payment-request.ts',
      '  period,\n});',
      '  period, iban: z.string(),\n});',
    ),
  },
  {
    about: 'approvals have another key',
    check: 'approvals',
    functions: ['approve-payment-request'],
    changes: [
      ...change('store/keys.ts', 'sk: `APPROVAL#', 'sk: `DECISION#'),
      ...change('store/keys.ts', "first: 'APPROVAL#'", "first: 'DECISION#'"),
    ],
  },
  {
    about: 'a stored offer needs another member',
    check: 'resends',
    functions: ['resend-offer'],
    changes: change(
      'domain/offer.ts',
      'attempts: z.int()',
      'language: z.string(), attempts: z.int()',
    ),
  },
  {
    about: 'a message names its sandbox in another way',
    check: 'provisioning',
    functions: ['provision-sandbox'],
    changes: change('domain/messages.ts', 'sandbox: SandboxId', 'sandbox_id: SandboxId'),
  },
  {
    about: 'a message names its attempt in another way',
    check: 'deliveries',
    functions: ['deliver-offer'],
    changes: change(
      'domain/messages.ts',
      'delivery: DeliveryAttemptId',
      'attempt: DeliveryAttemptId',
    ),
  },
  {
    about: 'a lease has another name',
    check: 'takeovers',
    functions: ['deliver-offer'],
    changes: change('store/deliveries.ts', 'lease_ends < :nowMs', 'leased_until < :nowMs'),
  },
  {
    about: 'a mail is expected to have another tag',
    check: 'mail events',
    functions: ['record-mail-event'],
    changes: change(
      'domain/mail-event.ts',
      'delivery_attempt: z.tuple',
      'attempt: z.tuple([DeliveryAttemptId]), delivery_attempt: z.tuple',
    ),
  },
  {
    about: 'an event loses a member',
    check: 'events',
    functions: ['publish-events'],
    changes: change(
      'domain/events.ts',
      'z.pick(DeliveryAttempt, { id: true, offer: true, status: true, reason: true,',
      'z.pick(DeliveryAttempt, { id: true, offer: true, status: true,',
    ),
  },
  {
    about: 'an event gets another id',
    check: 'events',
    functions: ['publish-events'],
    changes: change('domain/events.ts', 'id: `evt_${', 'id: `evt_v2_${'),
  },
  {
    about: 'a dead letter names its sandbox in another way',
    check: 'dead letters',
    functions: [],
    changes: change('domain/messages.ts', 'sandbox: SandboxId', 'sandbox_id: SandboxId'),
  },
];
