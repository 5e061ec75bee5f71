import { unmarshall } from '@aws-sdk/util-dynamodb';
import { readPartition } from '../../../bin/admin/table/scan.ts';
import { type OutboxQueue, outbox } from '../../../functions/domain/outbox.ts';
import { changed, inserted } from '../../support/function-events.ts';
import { isSuccess } from '../../support/keyed-operations.ts';
import { mailEvent } from '../../support/sample-mail-events.ts';
import { newTenantIds } from '../../support/tenants.ts';
import type { ServiceCall } from '../engine/calls.ts';
import type { Item, Prepared } from '../engine/case.ts';
import { type Invoke, isDisturbed, type Step } from '../engine/steps.ts';
import { clients, ownerOf, type TargetedOperation } from './clients.ts';
import { consume, deliveryLeaseMs, doneIn, notReady, readStream } from './consumers.ts';

/** A message in a queue, and the function that consumes it. */
interface Queued {
  readonly consumer: string;
  readonly body: string;
}

/**
 * A request without a key, and everything behind it: the readers of the stream, the consumer of its
 * message, and SES's event about its mail. Each gets what the function before it has written or
 * sent. At last, when every lease is over, the messages that failed and the changes come once more.
 *
 * @param events the events of its effect, in their order
 */
export const pipeline =
  (targetOf: () => TargetedOperation, ...events: readonly string[]) =>
  (): Prepared => {
    const tenant = newTenantIds();
    const target = targetOf();
    const { effectType } = target.operation;
    const { tries, ...client } = clients(target, [{}], tenant);
    const effects: Item[] = [];
    const failed: Queued[] = [];
    const ends: boolean[] = [];
    /** After a fault, a mail may have been sent that has no event. */
    const eventsOf = ({ id }: Item, left: readonly Item[], steps: readonly Step[]): string[] => {
      const { status } = (isDisturbed(steps) && left.find((item) => item.id === id)) || {};
      return events.with(-1, String(status ?? events.at(-1))).map((event) => `evt_${id}_${event}`);
    };
    const isQueued = Object.values(outbox).some(({ type }) => type === effectType);
    const follow = async (invoke: Invoke, steps: readonly Step[]) => {
      const created = doneIn(steps, 'dynamodb').flatMap(putsOf);
      effects.push(...created.filter(({ type }) => type === effectType));
      await readStream(invoke, 'publish-events', inserted(...effects));
      if (!isQueued) return;
      await readStream(invoke, 'relay-outbox', inserted(...effects));
      for (const read of [sentIn, mailedIn]) {
        for (const message of read(steps)) {
          if (!(await consume(invoke, message.consumer, message.body))) failed.push(message);
        }
      }
    };
    return {
      items: [ownerOf(tenant), ...client.items],
      tasks: client.tasks.map(({ letter, run }) => ({
        letter,
        run: async (invoke, steps) => {
          await run(invoke, steps);
          if (tries.some(isSuccess)) await follow(invoke, steps);
        },
      })),
      last: {
        letter: 'Z',
        run: async (invoke) => {
          for (const { consumer, body } of failed) {
            ends.push(await consume(invoke, consumer, body));
          }
          if (!isQueued) return;
          const ids = effects.map(({ id }) => id);
          const left = await Promise.all(effects.map(({ pk }) => readPartition(String(pk))));
          const now = left.flat().filter(({ id }) => ids.includes(id));
          await readStream(invoke, 'publish-events', changed('MODIFY', now));
        },
      },
      leaseMs: deliveryLeaseMs,
      tries,
      verdict: (aftermath) => {
        const { items: left, events: published, steps } = aftermath;
        return [
          ...client.verdict(aftermath),
          ...(tries.some(isSuccess) && effects.length === 0 ? ['the effect is not there'] : []),
          ...(ends.includes(false) ? ['a message is never done'] : []),
          ...effects
            .flatMap((effect) => eventsOf(effect, left, steps))
            .filter((event) => !published.includes(event))
            .map((event) => `${event} is not published`),
          ...(effectType === 'SANDBOX' ? effects.flatMap(({ id }) => notReady(left, `${id}`)) : []),
        ];
      },
    };
  };

/** The items that a write has put. */
export const putsOf = ({ Item, TransactItems = [] }: ServiceCall['input']): Item[] =>
  [Item, ...TransactItems.map(({ Put }: { Put?: { Item: object } }) => Put?.Item)]
    .filter(Boolean)
    .map((item) => unmarshall(item));

/** The messages that the steps have sent. */
const sentIn = (steps: readonly Step[]): Queued[] =>
  doneIn(steps, 'sqs').flatMap(({ QueueUrl, Entries }) =>
    Entries.map(({ MessageBody }: { MessageBody: string }) => ({
      consumer: outbox[QueueUrl.split('/').at(-1) as OutboxQueue].consumer,
      body: MessageBody,
    })),
  );

/** SES's events about the mails that the steps have sent: that they are delivered. */
const mailedIn = (steps: readonly Step[]): Queued[] =>
  doneIn(steps, 'ses').map(({ EmailTags }) => {
    const tags = EmailTags.map(({ Name, Value }: Record<string, string>) => [Name, Value]);
    const { offer, delivery_attempt: id, workspace } = Object.fromEntries(tags);
    return { consumer: 'record-mail-event', body: mailEvent({ offer, id }, 'delivery', workspace) };
  });
