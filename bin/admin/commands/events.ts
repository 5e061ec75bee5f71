import { Command } from '@commander-js/extra-typings';
import { type OutgoingEvent, putEvents } from '../../../functions/bus/put-events.ts';
import { loadEvent } from '../../../functions/stream/publish.ts';
import { countOf, plain } from '../../command-line/print.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { examples, group, pastTimeOption, serve } from '../service/command.ts';
import { inBatches } from '../table/in-parallel.ts';
import { eventsSince } from '../table/past-events.ts';

const publish = serve(
  new Command('publish')
    .description(
      'Publish the events of the changes that the table records. This reads the whole table once.',
    )
    .addOption(pastTimeOption('--since <time>', 'the start').makeOptionMandatory())
    .option('--dry-run', 'count the events, and publish nothing'),
  `
Use this for records that the stream has discarded (dead letters of the queue events), and for events that
the archive no longer holds. A repeated event has the same id, by which consumers recognise it.
Not published again are a failure or a bounce of a delivery attempt, and an end of a payment request, that
another status has followed: they are not kept.
${examples('events publish --since 2d --dry-run', 'events publish --since 2026-11-01T10:00:00Z')}`,
  async (_, { since, dryRun = false }) => {
    let [found, refused] = [0, 0];
    const events = countOnTerminal('events', eventsSince(since.toISOString()));
    // As many as the publisher gets.
    for await (const batch of inBatches(events, 100)) {
      found += batch.length;
      if (!dryRun) refused += await publishAll(batch);
    }
    const published = dryRun ? 0 : found - refused;
    return {
      value: { found, published },
      failure:
        refused > 0 &&
        `${countOf(refused, 'event')} could not be published. Run the command again: repeating it is harmless.`,
    };
  },
);

/** Publishes events again. @returns how many could not be published */
const publishAll = async (past: readonly Parameters<typeof loadEvent>[]): Promise<number> => {
  const events: OutgoingEvent[] = [];
  for (const [type, item] of past) {
    try {
      const event = await loadEvent(type, item);
      events.push({ id: event.id, event });
    } catch (error) {
      console.error(plain(`${item.pk} ${item.sk}: ${(error as Error).message}`));
    }
  }
  return past.length - events.length + (await putEvents(events)).length;
};

export const command = group('events', 'Events that are still to be published', publish);
