import { Command, Option } from '@commander-js/extra-typings';
import type { Item } from '../../../functions/domain/item.ts';
import { outbox } from '../../../functions/domain/outbox.ts';
import { sendMessages } from '../../../functions/queue/send.ts';
import { messageFor } from '../../../functions/stream/relay.ts';
import { countOf } from '../../command-line/print.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { duration, examples, group, serve } from '../service/command.ts';
import { inBatches } from '../table/in-parallel.ts';
import { filterBy, scan } from '../table/scan.ts';

const relay = serve(
  new Command('relay')
    .description(
      'Send the messages of items that still wait for one. This reads the whole table once.',
    )
    .addOption(
      new Option('--older-than <time>', 'only if they have waited for at least: 90s, 10m, 2h, 1d')
        .argParser(duration)
        .default(duration('10m'), '10m'),
    )
    .option('--dry-run', 'count the items that wait, and send nothing'),
  `
The message of a new item is sent when the table's stream reports the item. When Lambda has discarded a
record of the stream, its item still waits, and this command finds it. Repeating the command is harmless:
a consumer that receives a message twice finds nothing left to do.
${examples('outbox relay --dry-run', 'outbox relay --older-than 1h')}`,
  async (_, { dryRun = false, olderThan }) => {
    const before = new Date(Date.now() - olderThan).toISOString();
    let [waiting, refused] = [0, 0];
    // As many as the relay gets.
    for await (const batch of inBatches(countOnTerminal('messages', waitingItems(before)), 100)) {
      waiting += batch.length;
      if (dryRun) continue;
      const made = batch.map((item) => messageFor(item, `${item.pk} ${item.sk}`));
      const messages = await Promise.all(made);
      refused += (await sendMessages(messages)).length;
    }
    const sent = dryRun ? 0 : waiting - refused;
    return {
      value: { waiting, sent },
      failure:
        refused > 0 &&
        `SQS rejected ${countOf(refused, 'message')}. Run the command again: repeating it is harmless.`,
    };
  },
);

/** The items that still wait for their message's effect, created before a time (ISO 8601, UTC). */
const waitingItems = (before: string): AsyncGenerator<Item> => {
  const values: Record<string, string> = { before };
  const conditions = Object.values(outbox).map(({ type, status }, index) => {
    Object.assign(values, { [`type${index}`]: type, [`status${index}`]: status });
    return `(#type = :type${index} AND #status = :status${index})`;
  });
  return scan(filterBy(`#created < :before AND (${conditions.join(' OR ')})`, values));
};

export const command = group('outbox', 'Messages that are still to be sent', relay);
