import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { type Event, eventSource } from '../domain/events.ts';
import { batchesOf } from '../runtime/batches.ts';
import { environment } from '../runtime/environment.ts';
import { batchTimeLimits, maxAttempts } from '../runtime/time-limits.ts';
import { loggable } from '../telemetry/loggable.ts';
import { logger } from '../telemetry/logger.ts';

const client = new EventBridgeClient({
  maxAttempts,
  requestHandler: batchTimeLimits,
});

/** An event, with the name that its sender gave it. */
export interface OutgoingEvent {
  readonly id: string;
  readonly event: Event;
}

/**
 * Puts events on the bus. A call takes 256 KB (PutEvents), and ten of our largest have half of
 * that: test/domain/events.test.ts makes them.
 *
 * @returns the ids of the events that the bus has not accepted
 */
export const putEvents = async (events: readonly OutgoingEvent[]): Promise<string[]> => {
  const put = batchesOf(events).map(putBatch);
  return (await Promise.all(put)).flat();
};

const putBatch = async (batch: readonly OutgoingEvent[]): Promise<string[]> => {
  try {
    const { Entries = [] } = await client.send(
      new PutEventsCommand({
        Entries: batch.map(({ event }) => ({
          EventBusName: environment('EVENT_BUS'),
          Source: eventSource,
          DetailType: event.type,
          Time: new Date(event.time),
          Detail: JSON.stringify(event),
        })),
      }),
    );
    // An entry's result has the entry's place, and an EventId only if the bus has accepted it.
    const failed = batch.filter((_, index) => !Entries[index]?.EventId);
    if (failed.length > 0)
      logger.error('put', { codes: Entries.map(({ ErrorCode }) => ErrorCode) });
    return failed.map(({ id }) => id);
  } catch (error) {
    logger.error('put', { error: loggable(error) });
    return batch.map(({ id }) => id);
  }
};
