import type { DynamoDBStreamEvent } from 'aws-lambda';
import { maximumFailures } from '../../../functions/domain/outbox.ts';
import { fixtures } from '../../../functions/domain/sandbox.ts';
import { deliveryItem, offerItem } from '../../../functions/store/offers.ts';
import { fixtureItems, sandboxItem } from '../../../functions/store/sandboxes.ts';
import { newAttempt } from '../../support/delivery-attempts.ts';
import { inserted, outboxMessage, messages as queued } from '../../support/function-events.ts';
import { mailEvent } from '../../support/sample-mail-events.ts';
import { newTenantIds, waitingSandbox } from '../../support/tenants.ts';
import { author } from '../../support/test-author.ts';
import type { ServiceCall } from '../engine/calls.ts';
import type { Aftermath, Item, Prepared } from '../engine/case.ts';
import { type Invoke, Killed, type Step, type Task } from '../engine/steps.ts';
import { newOffer, ownerOf } from './clients.ts';

/** Longer than a consumer's lease on a delivery attempt. */
export const deliveryLeaseMs = 75_000;

/**
 * Invokes a consumer.
 *
 * @param count how often its message has come
 * @returns whether its message is done, and will not come again
 */
export const consume = async (
  invoke: Invoke,
  name: string,
  message: string,
  count = 1,
): Promise<boolean> => {
  const event = queued(message);
  for (const { attributes } of event.Records) attributes.ApproximateReceiveCount = `${count}`;
  try {
    const response = (await invoke(name, event)) as { batchItemFailures: unknown[] };
    return response.batchItemFailures.length === 0;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return false;
  }
};

/** What invokes a consumer with a message, and notes whether it is done. */
export const consumerTask = (
  letter: string,
  name: string,
  message: string,
  ends: boolean[],
): Task => ({
  letter,
  run: async (invoke) => {
    ends.push(await consume(invoke, name, message));
  },
});

const newDelivery = (takes = 0) => {
  const { workspace } = newTenantIds();
  const offer = newOffer(1);
  const attempt = newAttempt(offer.id, offer.created);
  const items = [offerItem(workspace, offer), { ...deliveryItem(workspace, attempt), takes }];
  return { attempt, workspace, items };
};

/** A mail that SES refuses was not sent. */
const isRefusal = ({ call, ending }: Step) =>
  call?.operation === 'SendEmail' && ending === 'refused';

const isFault = (step: Step) => step.ending !== 'done' && !isRefusal(step);

/** The inputs of the calls to a service, or of an operation, that it has done. */
export const doneIn = (steps: readonly Step[], of: string): readonly ServiceCall['input'][] =>
  steps.flatMap(({ call, response }) =>
    response?.statusCode === 200 && [call?.service, call?.operation].includes(of)
      ? [call?.input]
      : [],
  );

/**
 * An update that was done twice, by two tries of one call: what it counts, it has counted twice.
 */
const doneTwice = (steps: readonly Step[]): string[] => {
  const done = doneIn(steps, 'UpdateItem').map((input) => JSON.stringify(input));
  return new Set(done).size === done.length ? [] : ['an update was done twice'];
};

/**
 * An attempt that has failed four times, and its message, maybe twice at once. At last the message
 * comes again, and once more as its dead letter that was redriven, after a receive that failed
 * before the attempt was taken.
 */
export const lastTry = (isTwice: boolean) => (): Prepared => {
  const { attempt, workspace, items } = newDelivery(maximumFailures - 1);
  const message = outboxMessage('Delivery', { workspace, ...attempt });
  const ends: Record<string, boolean> = {};
  const task = (letter: string, ...counts: readonly number[]): Task => ({
    letter,
    run: async (invoke) => {
      for (const count of counts)
        ends[letter] = await consume(invoke, 'deliver-offer', message, count);
    },
  });
  return {
    items,
    tasks: [task('A', 2), ...(isTwice ? [task('B', 2)] : [])],
    last: task('Z', 3, 2),
    leaseMs: deliveryLeaseMs,
    verdict: ({ items, mails, messages, steps }) => {
      const { status, takes = 0 } = items.find(({ id }) => id === attempt.id) ?? {};
      const faults = steps.filter(isFault).length;
      const refused = steps.filter(isRefusal).map(({ task }) => task);
      const touches = (letter: string) => (step: Step) =>
        step.task === letter && step.footprint?.some(({ from }) => from.startsWith('DELIVERY#'));
      const isInTurn = steps.findLastIndex(touches('A')) < steps.findIndex(touches('B'));
      const wrong = doneTwice(steps);
      if (faults === 0 && messages.length > 0) wrong.push('a dead letter, and nothing has failed');
      // Whoever sends a mail takes the attempt a fifth time, unless it was reset.
      if (messages.length === 0 && Number(takes) < maximumFailures)
        wrong.push('it may be sent five times more, and has no dead letter');
      if (mails.length < 1 || mails.length > 1 + faults) wrong.push(`${mails.length} mails`);
      if (status !== 'sent') wrong.push(`the attempt is ${status}, and not sent`);
      if (isInTurn && faults === 0 && !refused.includes('B') && !ends.B)
        wrong.push('the attempt was not put back');
      return wrong;
    },
  };
};

/** A delivery attempt's message twice, at once or after the lease; maybe SES's event. */
export const delivery = (second: Pick<Task, 'startsAfter'>, hasEvent: boolean) => (): Prepared => {
  const { attempt, workspace, items } = newDelivery();
  const message = outboxMessage('Delivery', { workspace, ...attempt });
  const ends: boolean[] = [];
  const reports: boolean[] = [];
  const report = mailEvent(attempt, 'delivery', workspace);
  return {
    items,
    tasks: [
      consumerTask('A', 'deliver-offer', message, ends),
      { ...consumerTask('B', 'deliver-offer', message, ends), ...second },
      ...(hasEvent
        ? [{ ...consumerTask('C', 'record-mail-event', report, reports), startsAfter: 'SendEmail' }]
        : []),
    ],
    last: consumerTask('Z', 'deliver-offer', message, ends),
    leaseMs: deliveryLeaseMs,
    verdict: ({ items, mails, steps }) => {
      const { status } = items.find(({ id }) => id === attempt.id) ?? {};
      const isDisturbed = steps.some(isFault);
      // The time of the first consumer was over while it was at work on a mail.
      const time = steps.findIndex(({ task }) => task === 'time');
      const isLate =
        time >= 0 &&
        steps.findLastIndex(({ task }) => task === 'A') > time &&
        !steps.some((step) => step.task === 'A' && isRefusal(step));
      // An event whose consumer died may be recorded or not, and comes again.
      const possible = reports[0] ? ['delivered'] : ['sent', 'delivered'];
      const wrong = doneTwice(steps);
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

/** Whether a sandbox and its fixtures are all there, and were made at once. */
export const notReady = (items: readonly Item[], sandboxId: string): string[] => {
  const sandbox = items.find(({ id }) => id === sandboxId);
  const made = items.filter((item) => item !== sandbox && item.created === sandbox?.updated);
  const { length } = fixtureItems(fixtures(waitingSandbox(''), ''));
  return sandbox?.status === 'ready' && made.length === length
    ? []
    : [
        `${sandboxId} is ${sandbox?.status}, updated ${sandbox?.updated}, with ${made.length} items`,
      ];
};

export const provisionTwice = (): Prepared => {
  const { workspace } = newTenantIds();
  const sandbox = waitingSandbox(workspace);
  const message = outboxMessage('Provisioning', sandbox);
  const ends: boolean[] = [];
  return {
    items: [sandboxItem(sandbox)],
    tasks: ['A', 'B'].map((letter) => consumerTask(letter, 'provision-sandbox', message, ends)),
    last: consumerTask('Z', 'provision-sandbox', message, ends),
    verdict: ({ items, steps }) => {
      // A repeated transaction has the token of the first.
      const commits = doneIn(steps, 'TransactWriteItems').map((input) => input.ClientRequestToken);
      return [
        ...notReady(items, sandbox.id),
        ...(new Set(commits).size > 1 ? ['it was made ready twice'] : []),
        ...(ends.at(-1) ? [] : ['the message is never done']),
      ];
    },
  };
};

/** Lambda's event source repeats a batch from its first failure, or whole if the function died. */
export const readStream = async (
  invoke: Invoke,
  name: string,
  { Records }: DynamoDBStreamEvent,
): Promise<void> => {
  let records = Records;
  for (let tries = 0; records.length > 0 && tries < 5; tries++) {
    try {
      const response = (await invoke(name, { Records: records })) as {
        batchItemFailures: { itemIdentifier: string }[];
      };
      const failed = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
      const first = records.findIndex(({ dynamodb }) =>
        failed.includes(dynamodb?.SequenceNumber ?? ''),
      );
      records = first < 0 ? [] : records.slice(first);
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
};

/** Two delivery attempts and a sandbox, which ask for messages in two queues, or for events. */
export const streamed =
  (name: string, sent: (aftermath: Aftermath) => string[], asks: (id: string) => string) =>
  (): Prepared => {
    const deliveries = [newDelivery(), newDelivery()];
    const { workspace, account } = newTenantIds();
    const sandbox = sandboxItem(waitingSandbox(workspace));
    const workspaces = [workspace, ...deliveries.map((each) => each.workspace)];
    const effects = [...deliveries.flatMap(({ items }) => items.slice(1)), sandbox].map((item) => ({
      ...item,
      author,
    })) as Item[];
    return {
      items: [
        ...workspaces.map((each) => ownerOf({ workspace: each, account })),
        ...deliveries.flatMap(({ items }) => items),
      ],
      tasks: [{ letter: 'A', run: (invoke) => readStream(invoke, name, inserted(...effects)) }],
      verdict: (aftermath) => {
        const wanted = new Set(effects.map(({ id }) => asks(String(id))));
        const odd = wanted.symmetricDifference(new Set(sent(aftermath)));
        return [...odd].map(
          (id) => `${id} is ${wanted.has(id) ? 'not sent' : 'sent, and was not asked for'}`,
        );
      },
    };
  };

/** A mail that has bounced for a time, and two events that say more of it, the second the most. */
export const mailEvents = (): Prepared => {
  const { attempt, workspace, items } = newDelivery();
  const bounced = { status: 'bounced', reason: 'transient' };
  const ends: boolean[] = [];
  const report = (letter: string, what: 'undeterminedBounce' | 'permanentBounce', to: boolean[]) =>
    consumerTask(letter, 'record-mail-event', mailEvent(attempt, what, workspace), to);
  return {
    items: items.map((item) => ('offer' in item ? { ...item, ...bounced } : item)),
    tasks: [report('A', 'undeterminedBounce', []), report('B', 'permanentBounce', ends)],
    verdict: ({ items }) => {
      const { status, reason } = items.find(({ id }) => id === attempt.id) ?? {};
      // An event whose consumer died comes again.
      if (!ends[0] || reason === 'permanent') return [];
      return [`the attempt is ${status} ${reason}, and not bounced permanent`];
    },
  };
};
