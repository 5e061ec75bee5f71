import { approve, create, keyedOperations, resend } from '../../support/keyed-operations.ts';
import type { Case, Prepared } from '../engine/case.ts';
import { type ClientRequest, clients, keyed, recordLeaseMs, targetOf } from './clients.ts';
import {
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
  twoReused,
  twoSends,
  twoStatuses,
} from './record-cases.ts';
import { halfWritten } from './table.ts';

/** Longer than a key is remembered. */
const monthMs = 31 * 86_400_000;

const withoutRecords: ClientRequest = {
  ...keyed,
  environment: { POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' },
};

/** A resend, and when its key is forgotten, two tries of a new one. */
const afterMonth = (sent: ClientRequest) => () => {
  const later = { ...sent, isLater: true, isNew: true };
  return clients(targetOf(resend), [sent, later, later]);
};

const seven = { ...keyed, ifMatch: '"7"' };

type BaseCase = Omit<Case, 'name' | 'faults' | 'isBeside'> & {
  /** With how many faults it is run; with none and with one unless given. */
  readonly withFaults?: readonly number[];
  /** The tasks or functions of which each is run in one version beside all others in another. */
  readonly versioned?: readonly string[];
};

const baseCases: Readonly<Record<string, BaseCase>> = {
  ...Object.fromEntries(
    keyedOperations.map((operation): [string, BaseCase] => [
      operation.name,
      {
        about: `two tries of one keyed ${operation.name}`,
        versioned: ['A'],
        prepare: () => clients(targetOf(operation), [keyed, keyed]),
      },
    ]),
  ),
  'resend-three': {
    about: 'three tries of one keyed resend',
    prepare: () => clients(targetOf(resend), [keyed, keyed, keyed]),
  },
  'resend-keys': {
    about: 'two resends of one offer with two keys',
    versioned: ['A'],
    prepare: () => clients(targetOf(resend), [keyed, { key: 'l' }]),
  },
  managers: {
    about: 'approve of a pending request by two managers, without keys',
    versioned: ['A'],
    prepare: () => clients(targetOf(approve), [{ manager: 0 }, { manager: 1 }]),
  },
  'resend-lease': {
    about: 'a resend whose lease runs out while its calls are under way, and its retry',
    passMs: recordLeaseMs,
    versioned: ['A'],
    prepare: () => clients(targetOf(resend), [keyed, { ...keyed, isLater: true }]),
  },
  'create-lease': {
    about: 'a create whose lease runs out while its calls are under way, and its retry',
    passMs: recordLeaseMs,
    versioned: ['A'],
    prepare: () => clients(targetOf(create), [keyed, { ...keyed, isLater: true }]),
  },
  'resend-month': {
    about: 'a keyed resend, and when its key is forgotten, two tries of a new one',
    passMs: monthMs,
    passesWhenIdle: true,
    prepare: afterMonth(keyed),
  },
  'resend-month-off': {
    about: "the same without Powertools' records",
    passMs: monthMs,
    passesWhenIdle: true,
    prepare: afterMonth(withoutRecords),
  },
  'reused-off': {
    about: "two approves with one key and two managers, without Powertools' records",
    prepare: () => clients(targetOf(approve), [withoutRecords, { ...withoutRecords, manager: 1 }]),
  },
  'resend-alone': {
    about: 'one keyed resend',
    withFaults: [2],
    prepare: () => clients(targetOf(resend), [keyed]),
  },
  'create-unkeyed': {
    about: 'a create without a key',
    withFaults: [1, 2],
    prepare: () => clients(targetOf(create), [{}]),
  },
  provision: {
    about: 'the message of a sandbox twice at once',
    versioned: ['A'],
    prepare: provisionTwice,
  },
  deliver: {
    about: 'the message of a delivery attempt twice at once, and the event of SES',
    prepare: delivery({}, true),
  },
  'deliver-twice': {
    about: 'the message of a delivery attempt twice at once',
    versioned: ['A'],
    prepare: delivery({}, false),
  },
  'deliver-lease': {
    about: 'the message of a delivery attempt, and again after its lease, and the event of SES',
    passMs: deliveryLeaseMs,
    prepare: delivery({ startsAfter: 'time' }, true),
  },
  'deliver-again': {
    about: 'the message of a delivery attempt, and again after its lease',
    withFaults: [1],
    passMs: deliveryLeaseMs,
    versioned: ['A'],
    prepare: delivery({ startsAfter: 'time' }, false),
  },
  'deliver-last': {
    about: 'the message of an attempt that has failed four times, twice at once',
    withFaults: [1],
    prepare: lastTry(true),
  },
  'deliver-last-alone': {
    about: 'the message of an attempt that has failed four times',
    withFaults: [1, 2],
    prepare: lastTry(false),
  },
  'mail-events': {
    about: 'two events of SES about one mail',
    versioned: ['A'],
    prepare: mailEvents,
  },
  revoke: {
    about: 'two operators revoke a token while a client uses it',
    versioned: ['A'],
    prepare: revoked,
  },
  relay: {
    about: 'a batch of three items that ask for messages',
    withFaults: [0, 1, 2],
    prepare: streamed(
      'relay-outbox',
      ({ messages }) => messages.map(({ delivery, sandbox }) => String(delivery ?? sandbox)),
      (id) => id,
    ),
  },
  publish: {
    about: 'a batch of three items that ask for events',
    prepare: streamed(
      'publish-events',
      ({ events }) => [...events],
      (id) => `evt_${id}_created`,
    ),
  },
  'import-approve': {
    about: 'a message that changes a pending request, and an approve of it',
    prepare: importBesideApprove,
  },
  seen: {
    about: 'a keyed approve of version 7 of a pending request, and a message with version 8',
    prepare: approveSeen('pending', seven),
  },
  'seen-approved': {
    about: 'the same of an approved request',
    prepare: approveSeen('approved', seven),
  },
  'seen-two': {
    about: 'the same beside an approve without If-Match',
    prepare: approveSeen('approved', seven, { manager: 1 }),
  },
  'seen-reused': {
    about: 'approves of versions 7 and 8 with one key, and a message with version 8',
    prepare: approveSeen('pending', seven, { ...seven, ifMatch: '"8"' }),
  },
  'seen-weak': {
    about: 'an approve with a weak tag, and a message with version 8',
    withFaults: [0],
    prepare: approveSeen('pending', { ifMatch: 'W/"7"' }),
  },
  'seen-lease': {
    about: 'a keyed approve of version 7 whose lease runs out, its retry, and version 8',
    passMs: recordLeaseMs,
    prepare: approveSeen('approved', seven, { ...seven, isLater: true }),
  },
  'import-status': {
    about: 'a message that a request is pending, and an approve of it',
    prepare: importBesideStatus,
  },
  'import-cancel': {
    about: 'a message that cancels a pending request with another amount, and an approve of it',
    prepare: importBesideCancel,
  },
  'import-older': {
    about: 'a message that ends an approved request, and an approve of a later version',
    prepare: importOlderBesideApprove,
  },
  'import-resend': {
    about: 'a message with another recipient of an offer, and a resend of it',
    prepare: importBesideResend,
  },
  'import-redact': {
    about: 'a message about a rejected request, and its redaction',
    prepare: importBesideRedact,
  },
  'import-two': {
    about: 'two messages about a request',
    prepare: twoImports,
  },
  'import-reused': {
    about: 'two messages of one version',
    prepare: twoReused,
  },
  'import-statuses': {
    about: 'two messages about an approved request, of which only the first ends it',
    prepare: twoStatuses,
  },
  'import-send': {
    about: 'two messages that a draft is sent',
    prepare: twoSends('draft'),
  },
  'import-send-new': {
    about: 'two messages that mail a new offer',
    prepare: twoSends(),
  },
  'approve-pipeline': {
    about: 'an approve without a key, and its event',
    versioned: ['approve-payment-request'],
    prepare: pipeline(() => targetOf(approve), 'approved'),
  },
  'create-pipeline': {
    about: 'a create without a key, its message and its events',
    versioned: ['create-sandbox', 'relay-outbox', 'provision-sandbox', 'publish-events'],
    prepare: pipeline(() => targetOf(create), 'created', 'ready'),
  },
  'resend-pipeline': {
    about: 'a resend without a key, its message, its mail and its events',
    versioned: [
      'resend-offer',
      'relay-outbox',
      'deliver-offer',
      'record-mail-event',
      'publish-events',
    ],
    prepare: pipeline(() => targetOf(resend), 'created', 'delivered'),
  },
};

const verifiedByOperators = (prepared: Prepared): Prepared => ({
  ...prepared,
  verdict: (left) => [...prepared.verdict(left), ...halfWritten(left.items)],
});

const plural = ['', '+fault', '+2faults'] as const;
const inWords = ['', '; one fault at any point', '; two faults at any points'] as const;

type Versions = readonly [suffix: string, about: string, isBeside?: Case['isBeside']];

/** Each in these versions, as it is and with faults at every point. */
const casesIn = (versionsOf: (each: BaseCase) => readonly Versions[]): readonly Case[] =>
  Object.entries(baseCases).flatMap(([name, base]) => {
    const { withFaults = [0, 1], versioned: _, ...each } = base;
    return versionsOf(base).flatMap(([suffix, inVersions, isBeside]) =>
      withFaults.map((faults) => ({
        ...each,
        ...(isBeside && { isBeside }),
        name: `${name}${suffix}${plural[faults]}`,
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
