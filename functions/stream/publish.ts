import { type OutgoingEvent, putEvents } from '../bus/put-events.ts';
import { type Event, eventOf, eventRows, eventTypeOf, Unpublishable } from '../domain/events.ts';
import type { Item } from '../domain/item.ts';
import { type OutgoingMessage, sendMessages } from '../queue/send.ts';
import { environment } from '../runtime/environment.ts';
import { keys } from '../store/keys.ts';
import { readItem } from '../store/read.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';
import { count } from '../telemetry/metrics.ts';
import type { StreamedItem } from './stream-reader.ts';

/**
 * Publishes the event of each change in the stream, which carries all that was committed.
 * What can never be published would hold up all that follows it in its shard, for as long as the
 * stream keeps it: its key becomes a dead letter at once.
 *
 * @returns the sequence numbers of the items to try again
 */
export const publishItems = async (items: readonly StreamedItem[]): Promise<string[]> => {
  const events: OutgoingEvent[] = [];
  const deadLetters: OutgoingMessage[] = [];
  const failed: string[] = [];
  const load = loadedOnce();
  const makeEvent = async ({ id, change, item }: StreamedItem) => {
    const { pk, sk } = item;
    try {
      const type = eventTypeOf(change, item);
      if (type) events.push({ id, event: await loadEvent(type, item, load) });
    } catch (error) {
      logger.error('event', {
        sequence_number: id,
        request_id: item.author?.request,
        pk,
        sk,
        error: loggable(error),
      });
      if (!(error instanceof Unpublishable)) {
        failed.push(id);
        return;
      }
      count('MessageFailed');
      const body = { pk, sk, error: error.message };
      deadLetters.push({ id, queueUrl: environment('DEAD_LETTERS_URL'), body });
    }
  };
  await Promise.all(items.map(makeEvent));
  const refused = await Promise.all([putEvents(events), sendMessages(deadLetters)]);
  return [failed, ...refused].flat();
};

/** Reads each item once: the records of a batch are about few workspaces. */
const loadedOnce = (): typeof readItem => {
  const items = new Map<string, ReturnType<typeof readItem>>();
  return (key) => {
    const name = `${key.pk} ${key.sk}`;
    const item = items.get(name) ?? readItem(key);
    items.set(name, item);
    return item;
  };
};

/**
 * The event of an item, with data of other items that never change.
 *
 * @throws Unpublishable
 */
export const loadEvent = async (
  type: Event['type'],
  item: Item,
  load = readItem,
): Promise<Event> => {
  const { reads } = eventRows[type];
  const paymentRequest = reads && (await load(keys.paymentRequest(String(item[reads]))));
  const workspace = await load(keys.workspace(String((paymentRequest ?? item).workspace)));
  return eventOf(type, item, { workspace, paymentRequest });
};
