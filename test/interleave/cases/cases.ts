import { identityMaker } from '../../../functions/runtime/identity.ts';
import { approvalItem } from '../../../functions/store/payment-requests.ts';
import type { Case, Prepared } from '../engine/case.ts';
import {
  approveTarget,
  clients,
  createTarget,
  keyed,
  recordLeaseMs,
  resendTarget,
} from './clients.ts';
import {
  createAndProvision,
  delivery,
  deliveryLeaseMs,
  lastTry,
  mailEvents,
  provisionTwice,
  streamed,
} from './consumers.ts';
import { revoked } from './operator-cases.ts';
import { pipeline } from './pipeline.ts';
import { approveSeen } from './precondition-cases.ts';
import {
  importBesideApprove,
  importBesideCancel,
  importBesideRedact,
  importBesideResend,
  importBesideStatus,
  importOlderBesideApprove,
  twoImports,
  twoSends,
  twoStatuses,
} from './record-cases.ts';
import { halfWritten } from './table.ts';

/** Longer than a key is remembered. */
const monthMs = 31 * 86_400_000;

const withoutRecords = { environment: { POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' } };

/** So many approvals that a saved list of them is deflated; one more is slow, and one has a key. */
const oftenApproved = (startMs: number): Prepared => {
  const nextIdentity = identityMaker();
  const identities = Array.from({ length: 30 }, () => nextIdentity(startMs + 3));
  const approver = '33333333-0000-4000-8000-000000000000';
  const target = approveTarget('approved', (payment_request) =>
    identities.map(({ opaque, created }) =>
      approvalItem({ id: `apprdec_${opaque}`, payment_request, approver, created }),
    ),
  );
  return clients(target, [{ manager: 1 }, { ...keyed, manager: 0 }]);
};

const seven = { ...keyed, ifMatch: '"7"' };

type BaseCase = Omit<Case, 'faults' | 'isBeside'> & {
  /** With how many faults it is run; with none and with one unless given. */
  readonly withFaults?: readonly number[];
  /** The tasks or functions of which each is run in one version beside all others in another. */
  readonly versioned?: readonly string[];
};

const baseCases: readonly BaseCase[] = [
  {
    name: 'resend',
    about: 'two tries of one keyed resend',
    versioned: ['A'],
    prepare: () => clients(resendTarget(), [keyed, keyed]),
  },
  {
    name: 'approve',
    about: 'two tries of one keyed approve of a pending request',
    versioned: ['A'],
    prepare: () => clients(approveTarget('pending'), [keyed, keyed]),
  },
  {
    name: 'approve-again',
    about: 'two tries of one keyed approve of an approved request',
    versioned: ['A'],
    prepare: () => clients(approveTarget('approved'), [keyed, keyed]),
  },
  {
    name: 'create',
    about: 'two tries of one keyed create',
    versioned: ['A'],
    prepare: () => clients(createTarget(), [keyed, keyed]),
  },
  {
    name: 'resend-three',
    about: 'three tries of one keyed resend',
    prepare: () => clients(resendTarget(), [keyed, keyed, keyed]),
  },
  {
    name: 'resend-mixed',
    about: 'a keyed and an unkeyed resend of one offer',
    prepare: () => clients(resendTarget(), [keyed, {}]),
  },
  {
    name: 'resend-keys',
    about: 'two resends of one offer with two keys',
    versioned: ['A'],
    prepare: () => clients(resendTarget(), [keyed, { key: 'l' }]),
  },
  {
    name: 'approve-reused',
    about: 'two approves of one request with one key and two managers',
    prepare: () => clients(approveTarget('pending'), [keyed, { ...keyed, manager: 1 }]),
  },
  {
    name: 'managers',
    about: 'approve of a pending request by two managers, without keys',
    versioned: ['A'],
    prepare: () => clients(approveTarget('pending'), [{ manager: 0 }, { manager: 1 }]),
  },
  {
    name: 'resend-lease',
    about: 'a resend whose lease runs out while its calls are under way, and its retry',
    passMs: recordLeaseMs,
    versioned: ['A'],
    prepare: () => clients(resendTarget(), [keyed, { ...keyed, isLater: true }]),
  },
  {
    name: 'create-lease',
    about: 'a create whose lease runs out while its calls are under way, and its retry',
    passMs: recordLeaseMs,
    versioned: ['A'],
    prepare: () => clients(createTarget(), [keyed, { ...keyed, isLater: true }]),
  },
  {
    name: 'resend-month',
    about: 'a keyed resend, and when its key is forgotten, two tries of a new one',
    passMs: monthMs,
    passesWhenIdle: true,
    prepare: () => {
      const later = { ...keyed, isLater: true, isNew: true };
      return clients(resendTarget(), [keyed, later, later]);
    },
  },
  {
    name: 'resend-month-off',
    about: "the same without Powertools' records",
    passMs: monthMs,
    passesWhenIdle: true,
    prepare: () => {
      const later = { ...keyed, ...withoutRecords, isLater: true, isNew: true };
      return clients(resendTarget(), [{ ...keyed, ...withoutRecords }, later, later]);
    },
  },
  {
    name: 'resend-off',
    about: "two tries of one keyed resend without Powertools' records",
    prepare: () => {
      const off = { ...keyed, ...withoutRecords };
      return clients(resendTarget(), [off, off]);
    },
  },
  {
    name: 'reused-off',
    about: "two approves with one key and two managers, without Powertools' records",
    prepare: () => {
      const off = { ...keyed, ...withoutRecords };
      return clients(approveTarget('pending'), [off, { ...off, manager: 1 }]);
    },
  },
  {
    name: 'resend-alone',
    about: 'one keyed resend',
    withFaults: [2],
    prepare: () => clients(resendTarget(), [keyed]),
  },
  {
    name: 'create-unkeyed',
    about: 'a create without a key, and its consumer',
    withFaults: [1, 2],
    prepare: createAndProvision,
  },
  {
    name: 'approve-often',
    about: 'replay of an approve of a request with 30 approvals, while another one is slow',
    prepare: oftenApproved,
  },
  {
    name: 'provision',
    about: 'the message of a sandbox twice at once',
    versioned: ['A'],
    prepare: provisionTwice,
  },
  {
    name: 'deliver',
    about: 'the message of a delivery attempt twice at once, and the event of SES',
    prepare: delivery({}, true),
  },
  {
    name: 'deliver-twice',
    about: 'the message of a delivery attempt twice at once',
    versioned: ['A'],
    prepare: delivery({}, false),
  },
  {
    name: 'deliver-event',
    about: 'the message of a delivery attempt, and the event of SES',
    versioned: ['A'],
    prepare: delivery(undefined, true),
  },
  {
    name: 'deliver-lease',
    about: 'the message of a delivery attempt, and again after its lease, and the event of SES',
    passMs: deliveryLeaseMs,
    prepare: delivery({ startsAfter: 'time' }, true),
  },
  {
    name: 'deliver-again',
    about: 'the message of a delivery attempt, and again after its lease',
    withFaults: [1],
    passMs: deliveryLeaseMs,
    versioned: ['A'],
    prepare: delivery({ startsAfter: 'time' }, false),
  },
  {
    name: 'deliver-last',
    about: 'the message of an attempt that has failed four times, twice at once',
    withFaults: [1],
    prepare: lastTry(true),
  },
  {
    name: 'deliver-last-alone',
    about: 'the message of an attempt that has failed four times',
    withFaults: [1, 2],
    prepare: lastTry(false),
  },
  {
    name: 'mail-events',
    about: 'two events of SES about one mail',
    versioned: ['A'],
    prepare: mailEvents,
  },
  {
    name: 'revoke',
    about: 'two operators revoke a token while a client uses it',
    versioned: ['A'],
    prepare: revoked,
  },
  {
    name: 'relay',
    about: 'a batch of three items that ask for messages',
    withFaults: [0, 1, 2],
    prepare: streamed(
      'relay-outbox',
      ({ messages }) => messages.map(({ delivery, sandbox }) => String(delivery ?? sandbox)),
      (id) => id,
    ),
  },
  {
    name: 'publish',
    about: 'a batch of three items that ask for events',
    prepare: streamed(
      'publish-events',
      ({ events }) => [...events],
      (id) => `evt_${id}_created`,
    ),
  },
  {
    name: 'import-approve',
    about: 'a message that changes a pending request, and an approve of it',
    prepare: importBesideApprove,
  },
  {
    name: 'seen',
    about: 'a keyed approve of version 7 of a pending request, and a message with version 8',
    prepare: approveSeen('pending', seven),
  },
  {
    name: 'seen-approved',
    about: 'the same of an approved request',
    prepare: approveSeen('approved', seven),
  },
  {
    name: 'seen-two',
    about: 'the same beside an approve without If-Match',
    prepare: approveSeen('approved', seven, { manager: 1 }),
  },
  {
    name: 'seen-reused',
    about: 'approves of versions 7 and 8 with one key, and a message with version 8',
    prepare: approveSeen('pending', seven, { ...seven, ifMatch: '"8"' }),
  },
  {
    name: 'seen-weak',
    about: 'an approve with a weak tag, and a message with version 8',
    withFaults: [0],
    prepare: approveSeen('pending', { ifMatch: 'W/"7"' }),
  },
  {
    name: 'seen-lease',
    about: 'a keyed approve of version 7 whose lease runs out, its retry, and version 8',
    passMs: recordLeaseMs,
    prepare: approveSeen('approved', seven, { ...seven, isLater: true }),
  },
  {
    name: 'import-status',
    about: 'a message that a request is pending, and an approve of it',
    prepare: importBesideStatus,
  },
  {
    name: 'import-cancel',
    about: 'a message that cancels a pending request with another amount, and an approve of it',
    prepare: importBesideCancel,
  },
  {
    name: 'import-older',
    about: 'a message that ends an approved request, and an approve of a later version',
    prepare: importOlderBesideApprove,
  },
  {
    name: 'import-resend',
    about: 'a message with another recipient of an offer, and a resend of it',
    prepare: importBesideResend,
  },
  {
    name: 'import-redact',
    about: 'a message about an approved request, and its redaction',
    prepare: importBesideRedact,
  },
  {
    name: 'import-two',
    about: 'two messages about a request',
    prepare: twoImports(false),
  },
  {
    name: 'import-two-new',
    about: 'two messages about a new request',
    prepare: twoImports(true),
  },
  {
    name: 'import-statuses',
    about: 'two messages about an approved request, of which only the first ends it',
    prepare: twoStatuses,
  },
  {
    name: 'import-send',
    about: 'two messages that a draft is sent',
    prepare: twoSends('draft'),
  },
  {
    name: 'import-send-new',
    about: 'two messages that mail a new offer',
    prepare: twoSends(),
  },
  {
    name: 'approve-pipeline',
    about: 'an approve without a key, and its event',
    versioned: ['approve-payment-request'],
    prepare: pipeline(() => approveTarget('pending'), 'approved'),
  },
  {
    name: 'create-pipeline',
    about: 'a create without a key, its message and its events',
    versioned: ['create-sandbox', 'relay-outbox', 'provision-sandbox', 'publish-events'],
    prepare: pipeline(createTarget, 'created', 'ready'),
  },
  {
    name: 'resend-pipeline',
    about: 'a resend without a key, its message, its mail and its events',
    versioned: [
      'resend-offer',
      'relay-outbox',
      'deliver-offer',
      'record-mail-event',
      'publish-events',
    ],
    prepare: pipeline(resendTarget, 'created', 'delivered'),
  },
];

const verifiedByOperators = (prepared: Prepared): Prepared => ({
  ...prepared,
  verdict: (left) => [...prepared.verdict(left), ...halfWritten(left.items)],
});

const plural = ['', '+fault', '+2faults'] as const;
const inWords = ['', '; one fault at any point', '; two faults at any points'] as const;

type Versions = readonly [suffix: string, about: string, isBeside?: Case['isBeside']];

/** Each in these versions, as it is and with faults at every point. */
const casesIn = (versionsOf: (each: BaseCase) => readonly Versions[]): readonly Case[] =>
  baseCases.flatMap((base) => {
    const { withFaults = [0, 1], versioned: _, ...each } = base;
    return versionsOf(base).flatMap(([suffix, inVersions, isBeside]) =>
      withFaults.map((faults) => ({
        ...each,
        ...(isBeside && { isBeside }),
        name: `${each.name}${suffix}${plural[faults]}`,
        about: `${each.about}${inVersions}${inWords[faults]}`,
        faults,
        prepare: (startMs: number) => verifiedByOperators(each.prepare(startMs)),
      })),
    );
  });

/** Each as it is, and with one crash, lost response or refusal at every point. */
export const cases = casesIn(() => [['', '']]);

/** The same with one task or function of a commit, and all others today's; and the reverse. */
export const besideCases = casesIn(({ versioned = [] }) =>
  versioned.flatMap((part): Versions[] => {
    const isPart = (...names: readonly string[]) => names.includes(part);
    return [
      [`@${part}`, `; ${part} of the commit`, isPart],
      [`@not-${part}`, `; all but ${part} of the commit`, (...names) => !isPart(...names)],
    ];
  }),
);

/** @throws Error when there is none of this name */
export const caseNamed = (name: string): Case => {
  const found = [...cases, ...besideCases].find((each) => each.name === name);
  if (!found) throw new Error(`There is no case ${name}.`);
  return found;
};
