import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { newAuthor } from '../../functions/domain/author.ts';
import { newDeliveryAttempt } from '../../functions/domain/offer.ts';
import { routes, scopes } from '../../functions/domain/routes.ts';
import { fixtures, newSandbox } from '../../functions/domain/sandbox.ts';
import { identityMaker, newOpaque } from '../../functions/runtime/identity.ts';
import { deliveryItem, offerItem } from '../../functions/store/offers.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { fixtureItems, sandboxItem } from '../../functions/store/sandboxes.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { author } from '../support/author.ts';
import { authorization, inserted, outboxMessage, messages as queued } from '../support/events.ts';
import { mailEvent } from '../support/mail-events.ts';
import { newTenantIds } from '../support/tenants.ts';
import type { Aftermath, Case, Item, Prepared } from './case.ts';
import {
  approveTarget,
  clients,
  createTarget,
  newOffer,
  recordLeaseMs,
  resendTarget,
  type Sent,
  send,
  unexplained,
} from './clients.ts';
import type { Try } from './contract.ts';
import { type Invoke, Killed, type Step, type Task } from './schedule.ts';

/** Longer than a consumer's lease on a delivery attempt. */
const deliveryLeaseMs = 75_000;
/** Longer than a key is remembered. */
const monthMs = 31 * 86_400_000;

const keyed: Sent = { key: 'k' };
const withoutRecords = { environment: { POWERTOOLS_IDEMPOTENCY_DISABLED: 'true' } };

/** Invokes a consumer. @returns whether its message is done, and will not come again */
const consume = async (invoke: Invoke, name: string, message: string): Promise<boolean> => {
  try {
    const answer = (await invoke(name, queued(message))) as { batchItemFailures: unknown[] };
    return answer.batchItemFailures.length === 0;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return false;
  }
};

const consumerTask = (letter: string, name: string, message: string, ends: boolean[]): Task => ({
  letter,
  run: async (invoke) => {
    ends.push(await consume(invoke, name, message));
  },
});

const newDelivery = () => {
  const { workspace } = newTenantIds();
  const offer = newOffer(1);
  const attempt = newDeliveryAttempt(offer.id, newOpaque(), offer.created);
  const items = [offerItem(workspace, offer), deliveryItem(workspace, attempt)];
  return { attempt, workspace, items: items.map((item) => ({ ...item, author })) };
};

/** A delivery attempt's message, maybe twice, at once or after the lease; maybe SES's event. */
const delivery = (second: Partial<Task> | undefined, hasEvent: boolean) => (): Prepared => {
  const { attempt, workspace, items } = newDelivery();
  const message = outboxMessage('Delivery', { workspace, ...attempt });
  const ends: boolean[] = [];
  const reports: boolean[] = [];
  const report = mailEvent(attempt, 'delivery', workspace);
  return {
    items,
    tasks: [
      consumerTask('A', 'deliver-offer', message, ends),
      ...(second ? [{ ...consumerTask('B', 'deliver-offer', message, ends), ...second }] : []),
      ...(hasEvent
        ? [{ ...consumerTask('C', 'record-mail-event', report, reports), startsAfter: 'SendEmail' }]
        : []),
    ],
    last: consumerTask('Z', 'deliver-offer', message, ends),
    leaseMs: deliveryLeaseMs,
    tries: [],
    verdict: ({ items, mails, steps }) => {
      const { status } = items.find(({ id }) => id === attempt.id) ?? {};
      const isDisturbed = steps.some(({ outcome }) => outcome !== 'done');
      // The time of the first consumer was over while it was at work.
      const time = steps.findIndex(({ task }) => task === 'time');
      const isLate = time >= 0 && steps.findLastIndex(({ task }) => task === 'A') > time;
      // An event whose consumer died may be recorded or not, and comes again.
      const possible = reports[0] ? ['delivered'] : ['sent', 'delivered'];
      const wrong: string[] = [];
      // SES has no idempotency token: a consumer that dies when SES has the mail, and one that goes
      // on when its time is over, each leave one mail more.
      const mostMails = 1 + Number(isDisturbed) + Number(isLate);
      if (mails.length < 1 || mails.length > mostMails) wrong.push(`${mails.length} mails`);
      if (!possible.includes(String(status))) {
        wrong.push(`the attempt is ${status}, and not ${possible.join(' or ')}`);
      }
      if (!ends.at(-1)) wrong.push('the message is never done');
      return wrong;
    },
  };
};

const sandboxOf = (workspace: string) =>
  newSandbox(workspace, { name: 'Sandbox' }, newOpaque(), new Date().toISOString());

/** Whether a sandbox and its fixtures are all there, and were made at once. */
const notReady = (items: readonly Item[], sandboxId: string): string[] => {
  const sandbox = items.find(({ id }) => id === sandboxId);
  const made = items.filter((item) => item !== sandbox && item.created === sandbox?.updated);
  const { length } = fixtureItems(fixtures(sandboxOf(''), ''));
  return sandbox?.status === 'ready' && made.length === length
    ? []
    : [
        `${sandboxId} is ${sandbox?.status}, updated ${sandbox?.updated}, with ${made.length} items`,
      ];
};

/** How many transactions were committed. A repeated one has the token of the first. */
const commitsIn = (steps: readonly Step[]): number =>
  new Set(
    steps
      .filter(
        ({ call, reply }) => call?.operation === 'TransactWriteItems' && reply?.statusCode === 200,
      )
      .map(({ call }) => call?.input.ClientRequestToken),
  ).size;

const provisionTwice = (): Prepared => {
  const { workspace } = newTenantIds();
  const sandbox = sandboxOf(workspace);
  const message = outboxMessage('Provisioning', sandbox);
  const ends: boolean[] = [];
  return {
    items: [{ ...sandboxItem(sandbox), author }],
    tasks: ['A', 'B'].map((letter) => consumerTask(letter, 'provision-sandbox', message, ends)),
    last: consumerTask('Z', 'provision-sandbox', message, ends),
    tries: [],
    verdict: ({ items, steps }) => [
      ...notReady(items, sandbox.id),
      ...(commitsIn(steps) > 1 ? ['it was made ready twice'] : []),
      ...(ends.at(-1) ? [] : ['the message is never done']),
    ],
  };
};

/** A sandbox without a key, and its consumer as soon as the client knows of it. */
const createAndProvision = (): Prepared => {
  const tenant = newTenantIds();
  const target = createTarget();
  const tries: Try[] = [];
  const provisioned: string[] = [];
  return {
    items: [],
    tasks: [
      {
        letter: 'A',
        run: async (invoke, steps) => {
          const told = await send('A', tenant, target, {}, invoke, steps);
          tries.push(told);
          if (told.status !== target.route.status) return;
          const { id } = JSON.parse(told.text);
          const message = outboxMessage('Provisioning', { workspace: tenant.workspace, id });
          if (await consume(invoke, 'provision-sandbox', message)) provisioned.push(id);
        },
      },
    ],
    tries,
    verdict: ({ items, steps }) => [
      ...unexplained(
        target,
        tries,
        [],
        items.filter(({ pk }) => pk === `WORKSPACE#${tenant.workspace}`),
        steps,
      ),
      ...provisioned.flatMap((id) => notReady(items, id)),
    ],
  };
};

/** Lambda's event source repeats a batch from its first failure, or whole if the function died. */
const streamReader = (letter: string, name: string, items: readonly Item[]): Task => ({
  letter,
  run: async (invoke) => {
    let records = inserted(...items).Records;
    for (let tries = 0; records.length > 0 && tries < 5; tries++) {
      try {
        const answer = (await invoke(name, { Records: records })) as {
          batchItemFailures: { itemIdentifier: string }[];
        };
        const failed = answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
        const first = records.findIndex(({ dynamodb }) =>
          failed.includes(dynamodb?.SequenceNumber ?? ''),
        );
        records = first < 0 ? [] : records.slice(first);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
    }
  },
});

/** Two delivery attempts and a sandbox, which ask for messages in two queues, or for events. */
const streamed =
  (name: string, told: (aftermath: Aftermath) => string[], asks: (id: string) => string) =>
  (): Prepared => {
    const deliveries = [newDelivery(), newDelivery()];
    const { workspace, account } = newTenantIds();
    const sandbox = sandboxItem(sandboxOf(workspace));
    const workspaces = [workspace, ...deliveries.map((each) => each.workspace)];
    const owners = workspaces.map((id) =>
      workspaceItem({ id, account, name: 'Company', created: sandbox.created }),
    );
    const effects = [...deliveries.flatMap(({ items }) => items.slice(1)), sandbox].map((item) => ({
      ...item,
      author,
    })) as Item[];
    return {
      items: [
        ...owners.map((item) => ({ ...item, author })),
        ...deliveries.flatMap(({ items }) => items),
      ],
      tasks: [streamReader('A', name, effects)],
      tries: [],
      verdict: (aftermath) => {
        const wanted = effects.map(({ id }) => asks(String(id)));
        const found = told(aftermath);
        return [
          ...wanted.filter((id) => !found.includes(id)).map((id) => `${id} is never told`),
          ...found
            .filter((id) => !wanted.includes(id))
            .map((id) => `${id} is in no message or event`),
        ];
      },
    };
  };

/** Over a hundred approvals, the last of a moment ago; one more is slow, and one has a key. */
const restored = (startMs: number): Prepared => {
  const nextIdentity = identityMaker();
  const identities = Array.from({ length: 101 }, () => nextIdentity(startMs + 3));
  const approver = '33333333-0000-4000-8000-000000000000';
  const target = approveTarget('approved', (payment_request) =>
    identities.map(({ opaque, created }) =>
      approvalItem({ id: `apprdec_${opaque}`, payment_request, approver, created }),
    ),
  );
  return clients(target, [{ manager: 1 }, { ...keyed, manager: 0 }]);
};

/** A client whose token two operators revoke. */
const revoked = (): Prepared => {
  const tenant = newTenantIds();
  const secret = `wfp_live_${newOpaque()}`;
  const id = `tok_${newOpaque()}`;
  const created = new Date().toISOString();
  const expires_at = '2999-01-01T00:00:00.000Z';
  const all = scopes.join(' ');
  const item = tokenItem(secret, { id, ...tenant, scopes: all, expires_at, created });
  const { pk, sk } = item;
  const revokedBy: { letter: string; to: number }[] = [];
  const allowedFrom: number[] = [];
  const operator = (letter: string): Task => ({
    letter,
    run: async (invoke, steps) => {
      const act = { ...newAuthor('operator:test', `run_${letter}`), at: created };
      const isRevoked = await invoke('revoke', { key: { pk, sk }, act }).catch(() => false);
      if (isRevoked) revokedBy.push({ letter, to: steps.length });
    },
  });
  const client: Task = {
    letter: 'A',
    run: async (invoke, steps) => {
      const event = authorization(routes.createSandbox, `Bearer ${secret}`);
      const answer = (await invoke('authorize', event).catch(() => undefined)) as
        | APIGatewayAuthorizerResult
        | undefined;
      const [statement] = answer?.policyDocument.Statement ?? [];
      if (statement?.Effect !== 'Allow') return;
      allowedFrom.push(steps.findIndex(({ task }) => task === 'A'));
    },
  };
  return {
    items: [{ ...item, author }],
    tasks: [client, operator('B'), operator('C')],
    tries: [],
    verdict: ({ items, steps }) => {
      const [token] = items as { revoked?: { request: string } }[];
      const isDisturbed = steps.some(({ outcome }) => outcome !== 'done');
      const wrong: string[] = [];
      for (const from of allowedFrom) {
        if (revokedBy.some(({ to }) => to <= from)) wrong.push('a revoked token is accepted');
      }
      if (revokedBy.length > 1) wrong.push('it is revoked twice');
      if (revokedBy.length === 0 && !isDisturbed) wrong.push('nobody has revoked it');
      const [first] = revokedBy;
      if (first && token?.revoked?.request !== `run_${first.letter}`) {
        wrong.push(`${first.letter} has revoked it, and ${token?.revoked?.request} is kept`);
      }
      return wrong;
    },
  };
};

/** A mail that has bounced for a time, and two events that say more of it, the second the most. */
const mailEvents = (): Prepared => {
  const { attempt, workspace, items } = newDelivery();
  const bounced = { status: 'bounced', reason: 'transient' };
  const ends: boolean[] = [];
  const report = (letter: string, what: 'undeterminedBounce' | 'permanentBounce', to: boolean[]) =>
    consumerTask(letter, 'record-mail-event', mailEvent(attempt, what, workspace), to);
  return {
    items: items.map((item) => ('offer' in item ? { ...item, ...bounced } : item)),
    tasks: [report('A', 'undeterminedBounce', []), report('B', 'permanentBounce', ends)],
    tries: [],
    verdict: ({ items }) => {
      const { status, reason } = items.find(({ id }) => id === attempt.id) ?? {};
      // An event whose consumer died comes again.
      if (!ends[0] || reason === 'permanent') return [];
      return [`the attempt is ${status} ${reason}, and not bounced permanent`];
    },
  };
};

type BaseCase = Omit<Case, 'faults'> & {
  /** With how many faults it is run; with none and with one unless given. */
  readonly withFaults?: readonly number[];
};

const baseCases: readonly BaseCase[] = [
  {
    name: 'resend',
    about: 'two tries of one keyed resend',
    prepare: () => clients(resendTarget(), [keyed, keyed]),
  },
  {
    name: 'approve',
    about: 'two tries of one keyed approve of a pending request',
    prepare: () => clients(approveTarget('pending'), [keyed, keyed]),
  },
  {
    name: 'approve-again',
    about: 'two tries of one keyed approve of an approved request',
    prepare: () => clients(approveTarget('approved'), [keyed, keyed]),
  },
  {
    name: 'create',
    about: 'two tries of one keyed create',
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
    prepare: () => clients(approveTarget('pending'), [{ manager: 0 }, { manager: 1 }]),
  },
  {
    name: 'resend-lease',
    about: 'a resend whose lease runs out while its calls are under way, and its retry',
    passMs: recordLeaseMs,
    prepare: () => clients(resendTarget(), [keyed, { ...keyed, isLater: true }]),
  },
  {
    name: 'create-lease',
    about: 'a create whose lease runs out while its calls are under way, and its retry',
    passMs: recordLeaseMs,
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
    name: 'restore',
    about: 'replay of an approve whose answer is half in the table, while another one is slow',
    prepare: restored,
  },
  {
    name: 'provision',
    about: 'the message of a sandbox twice at once',
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
    prepare: delivery({}, false),
  },
  {
    name: 'deliver-event',
    about: 'the message of a delivery attempt, and the event of SES',
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
    prepare: delivery({ startsAfter: 'time' }, false),
  },
  {
    name: 'mail-events',
    about: 'two events of SES about one mail',
    prepare: mailEvents,
  },
  {
    name: 'revoke',
    about: 'two operators revoke a token while a client uses it',
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
];

const plural = ['', '+fault', '+2faults'] as const;
const inWords = ['', '; one fault at any point', '; two faults at any points'] as const;

/** Each as it is, and with one crash, lost reply or refusal at every point. */
export const cases: readonly Case[] = baseCases.flatMap(
  ({ withFaults = [0, 1], name, about, ...each }) =>
    withFaults.map((faults) => ({
      ...each,
      name: `${name}${plural[faults]}`,
      about: `${about}${inWords[faults]}`,
      faults,
    })),
);
