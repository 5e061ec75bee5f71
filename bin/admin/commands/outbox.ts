import { Command, Option } from 'commander';
import { outbox } from '../../../functions/domain/outbox.ts';
import { messageFor } from '../../../functions/queue/outbox.ts';
import { sendMessages } from '../../../functions/queue/send.ts';
import { examples, type Options, withService } from '../service/command.ts';
import { duration } from '../service/duration.ts';
import type { Item } from '../table/scan.ts';
import { waitingItems } from '../table/waiting-items.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { count, print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';

interface RelayOptions extends Options {
  readonly olderThan: number;
  readonly dryRun?: boolean;
}

const relay = new Command('relay')
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
  )
  .action(
    withService(async (_, { json, dryRun = false, olderThan }: RelayOptions) => {
      const before = new Date(Date.now() - olderThan).toISOString();
      const { found, refused } = await sendAgain(before, dryRun);
      const waiting = Object.values(outbox).map(({ type, noun, plural }) => {
        const number = found.get(type) ?? 0;
        return { number, text: count(number, noun), plural };
      });
      const sent = dryRun ? 0 : sumOf(found) - refused;
      const numbers = Object.fromEntries(waiting.map(({ plural, number }) => [plural, number]));
      print(json, { ...numbers, sent }, () =>
        [
          `${new Intl.ListFormat('en').format(waiting.map(({ text }) => text))} waiting.`,
          dryRun ? 'Nothing was sent.' : `${count(sent, 'message')} sent.`,
        ].join(' '),
      );
      if (refused > 0) throw new AdminError(`SQS rejected ${count(refused, 'message')}.`);
    }),
  );

/** Sends the messages for which items still wait. */
export const command = new Command('outbox')
  .description('Messages that are still to be sent')
  .addCommand(relay);

/** The batch size of the relay. */
const batchSize = 100;

const sendAgain = async (before: string, dryRun: boolean) => {
  const progress = new Progress('messages');
  const found = new Map<string, number>();
  let batch: Item[] = [];
  let refused = 0;
  const flush = async () => {
    const messages = batch.map((item) => messageFor(item, `${item.pk} ${item.sk}`));
    batch = [];
    refused += (await sendMessages(messages)).length;
  };
  for await (const item of waitingItems(before)) {
    const type = String(item.type);
    found.set(type, (found.get(type) ?? 0) + 1);
    progress.show(sumOf(found));
    if (dryRun) continue;
    batch.push(item);
    if (batch.length === batchSize) await flush();
  }
  if (batch.length > 0) await flush();
  progress.clear();
  return { found, refused };
};

const sumOf = (numbers: ReadonlyMap<string, number>): number =>
  numbers.values().reduce((sum, number) => sum + number, 0);
