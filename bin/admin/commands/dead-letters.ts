import { Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { Timestamp } from '../../../functions/domain/identifiers.ts';
import { MailEvent } from '../../../functions/domain/mail-event.ts';
import * as messages from '../../../functions/domain/messages.ts';
import { outbox } from '../../../functions/domain/outbox.ts';
import { commitNew } from '../../../functions/store/commit.ts';
import { kebabCase } from '../../local-run/resources.ts';
import { actItem, KeyText } from '../kinds/act.ts';
import { parsedJson } from '../merge/exact-json.ts';
import { examples, group, type Options, serve } from '../service/command.ts';
import type { Service } from '../service/connect.ts';
import {
  type DeadLetter,
  discard,
  redrive,
  visitDeadLetters,
} from '../service/dead-letter-queue.ts';
import { AdminError, required, UsageError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { columns, countOf, facts, print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { reply } from '../terminal/report-error.ts';

interface QueueOptions extends Options {
  readonly queue?: string | undefined;
}

interface ActOptions extends QueueOptions {
  readonly all?: true | undefined;
}

/** A dead letter as it is printed. */
const Letter = z.object({ id: z.string(), queue: z.string(), sent: Timestamp, body: z.string() });

const consumed = [...Object.keys(outbox), 'MailEvents'].map(kebabCase).join(', ');
const queueOption = () =>
  new Option('--queue <name>', `only this queue: ${consumed}, outbox or events`);

const list = serve(
  new Command('list')
    .description('List the dead letters: messages that a consumer or the outbox could not process.')
    .addOption(queueOption())
    .addHelpText(
      'after',
      `\nThe command takes a second or more for each queue, and hides the messages from other commands
meanwhile.
${examples('dead-letters list', 'dead-letters list --queue delivery --json')}`,
    ),
  z.array(Letter),
  async (service, options) => {
    const letters = (await find(service, options)).map(summaryOf);
    return {
      value: letters,
      text: () => (letters.length > 0 ? columns(letters) : 'No dead letters.'),
    };
  },
);

const show = serve(
  new Command('show')
    .description('Show one message.')
    .argument('<id>', 'the id of the message')
    .addOption(queueOption())
    .addHelpText('after', examples('dead-letters show 5b6c9b0e-7d0c-4f6f-9a55-0d8a3d8f3a11')),
  Letter,
  async (service, options, id) => {
    const [found] = await find(service, options, [id]);
    const letter = summaryOf(required(found, `There is no dead letter ${id}.`));
    return { value: letter, text: () => facts(letter) };
  },
);

/** A command that acts on messages; on all of them after a confirmation. */
const acting = (name: string) => {
  const command = new Command(name)
    .argument('[ids...]', 'the ids of the messages')
    .option('--all', 'all messages; asks for confirmation')
    .addOption(queueOption());
  return command.hook('preAction', () => {
    if ((command.opts().all ?? false) === command.args.length > 0) {
      throw new UsageError('Name the messages by their ids, or add --all.');
    }
  });
};

const ids = z.array(z.string());

const redriveCommand = serve(
  acting('redrive')
    .description('Send messages back to their queue, so that the consumer retries them.')
    .addHelpText(
      'after',
      `\nA message is sent before it is removed: a crash in between may duplicate it, which is harmless, but
never loses it. Dead letters of the outbox and of events cannot be redriven: see \`outbox relay\`
and \`events publish\`.
${examples('dead-letters redrive 5b6c9b0e-7d0c-4f6f-9a55-0d8a3d8f3a11', 'dead-letters redrive --all --queue delivery --yes')}`,
    ),
  z.object({ redriven: ids, missing: ids }),
  async (service, options, given) => {
    const asked = !options.all || (await confirmAll(service, options, 'redriven'));
    if (asked) await act(service, options, given, 'redriven', redrive);
  },
);

const discardCommand = serve(
  acting('discard')
    .description('Remove messages for good.')
    .addHelpText(
      'after',
      examples(
        'dead-letters discard 5b6c9b0e-7d0c-4f6f-9a55-0d8a3d8f3a11',
        'dead-letters discard --all --queue delivery --yes',
      ),
    ),
  z.object({ discarded: ids, missing: ids }),
  async (service, options, given) => {
    if (!options.all) {
      await confirm(options.yes, `Discard ${countOf(given.length, 'dead letter')} for good?`);
    } else if (!(await confirmAll(service, options, 'discarded'))) return;
    await act(service, options, given, 'discarded', discard);
  },
);

/** Lists, shows, redrives and discards dead letters. */
export const command = group(
  'dead-letters',
  'Messages that a consumer or the outbox could not process',
  list,
  show,
  redriveCommand,
  discardCommand,
);

/** @throws AdminError when the queue that is named is none of this service */
const queueNames = (service: Service, { queue }: QueueOptions): string[] => {
  const names = Object.keys(service.queues);
  if (!queue) return names;
  if (!names.includes(queue)) {
    throw new AdminError(`There is no queue ${queue}; there are ${names.join(', ')}.`);
  }
  return [queue];
};

/**
 * Asks for confirmation before all dead letters are handled, unless there is none.
 *
 * @returns whether there may be any
 */
const confirmAll = async (service: Service, options: ActOptions, done: Done): Promise<boolean> => {
  if (options.yes) return true;
  const { length } = await find(service, options);
  if (length === 0) {
    print(options.json, { [done]: [], missing: [] }, () => 'No dead letters.');
    return false;
  }
  const what = countOf(length, 'dead letter') + (options.queue ? ` of ${options.queue}` : '');
  await confirm(
    options.yes,
    done === 'redriven' ? `Redrive ${what}?` : `Discard ${what} for good?`,
  );
  return true;
};

type Done = 'redriven' | 'discarded';

/** The letters with these ids, or all, the oldest first. */
const find = async (
  service: Service,
  options: QueueOptions,
  ids?: readonly string[],
): Promise<DeadLetter[]> => {
  const letters: DeadLetter[] = [];
  await visitAll(service, options, async (letter) => {
    if (!ids || ids.includes(letter.id)) letters.push(letter);
    return false;
  });
  return letters.sort((one, other) => (one.sent < other.sent ? -1 : 1));
};

/** Performs an action on the selected letters, and prints their ids, even if it fails for one. */
const act = async (
  service: Service,
  options: ActOptions,
  ids: readonly string[],
  done: Done,
  remove: (service: Service, letter: DeadLetter) => Promise<void>,
): Promise<void> => {
  const acted: string[] = [];
  const places: string[] = [];
  const author = await service.operator();
  const visits = visitAll(service, options, async (letter) => {
    if (!options.all && !ids.includes(letter.id)) return false;
    if (done === 'redriven' && !service.queues[letter.queue]?.url) {
      places.push(letter.id);
      return false;
    }
    // First, so that nothing is done without a record of who did it.
    await commitNew(actItem({ what: `message ${done}`, ...idsIn(letter) }, author));
    await remove(service, letter);
    acted.push(letter.id);
    return true;
  });
  const report = (missing: readonly string[]) =>
    print(
      options.json,
      { [done]: acted, missing },
      () => `${countOf(acted.length, 'dead letter')} ${done}.`,
    );
  await reply('`dead-letters list` shows those that are left.', visits).catch((error: unknown) => {
    // Whether the others exist is unknown.
    report([]);
    throw error;
  });
  const missing = ids.filter((id) => !places.includes(id) && !acted.includes(id));
  report(missing);
  const sentences = [
    ...(missing.length > 0 ? [`There is no dead letter ${missing.join(', ')}.`] : []),
    ...(places.length > 0
      ? [
          `Not redriven: ${places.join(', ')}. A dead letter of the outbox or of events is a position in the table's stream or the key of an item, not a message. Run \`outbox relay\` or \`events publish\`, which sends what is missing, then discard it.`,
        ]
      : []),
  ];
  if (sentences.length > 0) throw new AdminError(sentences.join('\n'));
};

/** The ids of a message and, if a consumer could read it, those in it. */
const idsIn = ({ id, queue, body }: DeadLetter) => {
  const parsed = parsedJson(body);
  const value = 'value' in parsed ? parsed.value : undefined;
  const read = [...Object.values(messages), MailEvent]
    .map((schema) => schema.safeParse(value).data)
    .find((data) => data !== undefined);
  const { pk: partition, sk: item } = ItemKey.safeParse(value).data ?? {};
  return { queue, message_id: id, ...read, ...(partition && { partition, item }) };
};

/** The dead letter that `publish-events` sends about an item of which it cannot make an event. */
const ItemKey = z.object({ pk: KeyText, sk: KeyText });

const visitAll = async (
  service: Service,
  options: QueueOptions,
  visit: (letter: DeadLetter) => Promise<boolean>,
): Promise<void> => {
  const progress = new Progress('messages');
  let visited = 0;
  const visits = queueNames(service, options).map((queue) =>
    visitDeadLetters(service, queue, (letter) => {
      visited += 1;
      progress.show(visited);
      return visit(letter);
    }),
  );
  // All end before it reports one that failed: the others have acted too.
  const failed = (await Promise.allSettled(visits)).find(({ status }) => status === 'rejected');
  progress.clear();
  if (failed) throw (failed as PromiseRejectedResult).reason;
};

const summaryOf = ({ id, queue, sent, body }: DeadLetter) => ({ id, queue, sent, body });
