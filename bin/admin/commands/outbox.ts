import { Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { outbox } from '../../../functions/domain/outbox.ts';
import { messageFor } from '../../../functions/queue/outbox.ts';
import { sendMessages } from '../../../functions/queue/send.ts';
import { duration, examples, group, serve } from '../service/command.ts';
import { batched } from '../table/in-parallel.ts';
import { filterBy, type Item, scan } from '../table/scan.ts';
import { addTo, type Tally, totalOf } from '../table/tally.ts';
import { countOf } from '../terminal/print.ts';
import { counted } from '../terminal/progress.ts';
import { mayHaveBeenSent } from '../terminal/report-error.ts';

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
    .option('--dry-run', 'list the items that wait, and send nothing')
    .addHelpText(
      'after',
      `
The message of a new item is sent when the table's stream reports the item. When Lambda has discarded a
record of the stream, its item still waits, and this command finds it. Repeating the command is harmless:
a consumer that receives a message twice finds nothing left to do.
${examples('outbox relay --dry-run', 'outbox relay --older-than 1h')}`,
    ),
  z.object({
    ...Object.fromEntries(Object.values(outbox).map(({ plural }) => [plural, z.int()])),
    sent: z.int(),
  }),
  async (_, { dryRun = false, olderThan }) => {
    const before = new Date(Date.now() - olderThan).toISOString();
    const { found, refused } = await sendAgain(before, dryRun);
    const waiting = Object.values(outbox).map(({ type, noun, plural }) => {
      const number = found[type] ?? 0;
      return { number, text: countOf(number, noun), plural };
    });
    const sent = dryRun ? 0 : totalOf(found) - refused;
    const numbers = Object.fromEntries(waiting.map(({ plural, number }) => [plural, number]));
    return {
      value: { ...numbers, sent },
      text: () =>
        [
          `${new Intl.ListFormat('en').format(waiting.map(({ text }) => text))} waiting.`,
          dryRun ? 'Nothing was sent.' : `${countOf(sent, 'message')} sent.`,
        ].join(' '),
      failure:
        refused > 0
          ? `SQS rejected ${countOf(refused, 'message')}.\n${mayHaveBeenSent}`
          : undefined,
    };
  },
);

/** Sends the messages for which items still wait. */
export const command = group('outbox', 'Messages that are still to be sent', relay);

/** The batch size of the relay. */
const batchSize = 100;

const sendAgain = async (before: string, dryRun: boolean) => {
  const found: Tally = {};
  let refused = 0;
  for await (const batch of batched(counted('messages', waitingItems(before)), batchSize)) {
    for (const { type } of batch) addTo(found, type);
    if (dryRun) continue;
    const messages = batch.map((item) => messageFor(item, `${item.pk} ${item.sk}`));
    refused += (await sendMessages(messages)).length;
  }
  return { found, refused };
};

/** The items that still wait for their message's effect, created before a time (ISO 8601, UTC). */
const waitingItems = (before: string): AsyncGenerator<Item> => {
  const rows = Object.values(outbox);
  const conditions = rows.map(
    (_, index) => `(#type = :type${index} AND #status = :status${index})`,
  );
  const values = rows.flatMap(({ type, status }, index) => [
    [`type${index}`, type],
    [`status${index}`, status],
  ]);
  const expression = `#created < :before AND (${conditions.join(' OR ')})`;
  return scan(filterBy(expression, { ...Object.fromEntries(values), before }));
};
