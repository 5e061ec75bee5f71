import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { Command as Group } from 'commander';
import * as z from 'zod/mini';
import { Event } from '../../../functions/domain/events.ts';
import { loadEvent } from '../../../functions/queue/publish.ts';
import { type OutgoingEvent, putEvents } from '../../../functions/queue/put-events.ts';
import { httpUrl } from '../../http-url.ts';
import { readEvents } from '../events/event-tap.ts';
import { type Forwarding, forward } from '../events/forward.ts';
import { durationForm, examples, type Options, parsePastTime, serve } from '../service/command.ts';
import type { Service } from '../service/connect.ts';
import { eventfulItems } from '../table/eventful-items.ts';
import { batched } from '../table/in-parallel.ts';
import { AdminError, InterruptedError, UsageError } from '../terminal/admin-error.ts';
import { untilInterrupted } from '../terminal/interruption.ts';
import { aligned, countOf, print } from '../terminal/print.ts';
import { counted } from '../terminal/progress.ts';
import { mayHaveBeenSent } from '../terminal/report-error.ts';

const sinceOption = (what: string) =>
  new Option('--since <time>', `${what}: how long ago (${durationForm}), or ISO 8601`).argParser(
    parsePastTime,
  );

const untilOption = () =>
  new Option('--until <time>', 'the end of the span; now unless given').argParser(parsePastTime);

const types: readonly string[] = Event.def.options.flatMap(({ shape }) => shape.type.options);

const eventType = (type: string, others: readonly string[] = []) => {
  if (types.includes(type)) return [...others, type];
  throw new InvalidArgumentError(`The types are ${types.join(', ')}.`);
};

const parseUrl = httpUrl('Give a URL such as http://127.0.0.1:4000/hook.');

const handlerUrl = (text: string): URL => {
  const url = parseUrl(text);
  // fetch rejects them. Commander prints an invalid argument, and with it the password.
  if (url.username || url.password) {
    throw new UsageError('The URL of --forward-to must not contain credentials.');
  }
  return url;
};

/** With `--forward-to` a line for each event. */
const ForwardedEvent = z.object({
  id: z.string(),
  type: z.string(),
  status: z.optional(z.int()),
  error: z.optional(z.string()),
  duration_ms: z.int(),
});

interface PrintOptions extends Options {
  readonly follow?: true | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly type?: readonly string[] | undefined;
  readonly forwardTo?: URL | undefined;
}

/** @throws UsageError when a span ends before it begins: EventBridge rejects it or finds nothing */
const requireSpan = ({ since, until }: PrintOptions): void => {
  if (since && until && until <= since) {
    throw new UsageError('--until must be a later time than --since.');
  }
};

/** Prints events, or posts them and prints a line for each. */
const printEvents = async (
  service: Service,
  options: PrintOptions,
  signal: AbortSignal,
): Promise<void> => {
  const { follow = false, since, until, type, forwardTo, json } = options;
  const widths: number[] = [];
  let [done, refused] = [0, 0];
  const show = async (event: Event) => {
    done += 1;
    if (!forwardTo) return print(json, event, () => aligned([cellsOf(event)], widths));
    const forwarding = await forward(forwardTo, event);
    if (!forwarding.isTaken) refused += 1;
    print(json, jsonOf(event, forwarding), () => aligned([lineOf(event, forwarding)], widths));
  };
  const batches = readEvents(service, {
    span: since && { since, until },
    live: follow,
    onOpen: () => {
      if (follow && !json) console.error('Waiting for events. Ctrl-C ends this.');
    },
    signal,
  });
  const shownIds = new Set<string>();
  for await (const events of batches) {
    const shown = events.filter(({ id, type: its }) => {
      const isNew = !shownIds.has(id) && (type === undefined || type.includes(its));
      shownIds.add(id);
      return isNew;
    });
    await Promise.all(shown.map(show));
  }
  const failed = refused > 0 ? [`${countOf(refused, 'event')} could not be forwarded.`] : [];
  // The reader of the output may have seen enough.
  if (signal.aborted && !follow && signal.reason !== 'SIGPIPE') {
    const interrupted = `Interrupted after ${countOf(done, 'event')}; there may be more.`;
    throw new InterruptedError([interrupted, ...failed].join(' '), signal.reason);
  }
  if (refused > 0) throw new AdminError(failed.join());
};

const cellsOf = ({ time, type, data, workspace, actor }: Event) => {
  const effect = effectOf(data);
  return [time, type, effect.id, 'reason' in effect ? effect.reason : '', workspace, actor];
};

const effectOf = (data: Event['data']) => ('approval' in data ? data.approval : data);

const jsonOf = ({ id, type }: Event, { status, fault: error, durationMs }: Forwarding) =>
  ForwardedEvent.parse({ id, type, status, error, duration_ms: durationMs });

const lineOf = ({ time, type, data }: Event, { status, fault, durationMs }: Forwarding) => [
  time,
  type,
  effectOf(data).id,
  status ?? fault,
  `${durationMs} ms`,
];

const publish = serve(
  new Command('publish')
    .description(
      'Publish the events of the changes that the table records. This reads the whole table once.',
    )
    .addOption(sinceOption('what has happened since then').makeOptionMandatory())
    .option('--dry-run', 'count the events, and publish nothing')
    .addHelpText(
      'after',
      `
Use this for records that the stream has discarded (dead letters of the queue events), and for events that
the archive no longer holds. A repeated event has the same id, by which consumers recognise it.
Of a delivery attempt, a failure or a bounce that another status has followed is not published again: its
reason is not kept.
${examples('events publish --since 2d --dry-run', 'events publish --since 2026-11-01T10:00:00Z')}`,
    ),
  z.object({ found: z.int(), published: z.int() }),
  async (_, { since, dryRun = false }) => {
    const { found, refused } = await publishAgain(since.toISOString(), dryRun);
    const published = dryRun ? 0 : found - refused;
    return {
      value: { found, published },
      text: () =>
        dryRun ? `${countOf(found, 'event')}.` : `${countOf(published, 'event')} published.`,
      failure:
        refused > 0
          ? `${countOf(refused, 'event')} could not be published.\n${mayHaveBeenSent}`
          : undefined,
    };
  },
);

/** The batch size of the publisher. */
const batchSize = 100;

const publishAgain = async (since: string, dryRun: boolean) => {
  let [found, refused] = [0, 0];
  for await (const batch of batched(counted('events', eventfulItems(since)), batchSize)) {
    found += batch.length;
    if (dryRun) continue;
    const events: OutgoingEvent[] = [];
    for (const item of batch) {
      try {
        const event = await loadEvent(item);
        events.push({ id: event.id, event });
      } catch (error) {
        console.error(`${item.pk} ${item.sk}: ${(error as Error).message}`);
      }
    }
    refused += batch.length - events.length + (await putEvents(events)).length;
  }
  return { found, refused };
};

const printCommand = serve(
  new Command('print')
    .description(
      'Print the events on the bus as they arrive, or those of the archive, or post them to a URL.',
    )
    .option('--follow', 'print new events until Ctrl-C')
    .addOption(sinceOption('print the archived events since then'))
    .addOption(untilOption())
    .addOption(
      new Option('--type <type>', 'only events of this type; may be repeated').argParser(eventType),
    )
    .option('--forward-to <url>', 'post each event there once, and print the result', handlerUrl)
    .addHelpText(
      'after',
      `
The command adds a rule and a queue of its own, and removes them at its end. Consumers are not affected.
With --stage, it waits a minute until the rule is in effect, and --since ends 20 seconds after the last event.
Ctrl-C ends --follow with 0, and a reading of the archive with 130, because events may be missing.

--forward-to posts an event as an API destination of EventBridge does: the body is the event, and the
handler has 5 seconds to answer. EventBridge tries again for a day; this command posts each event once. The
exit code is 1 if the handler has not accepted an event.
${examples('events --follow', 'events --since 1h --json', 'events --follow --forward-to http://127.0.0.1:4000/hook --type sandbox.ready')}`,
    ),
  z.union([Event, ForwardedEvent]),
  async (service, options) => {
    if (!options.follow && !options.since) {
      throw new UsageError('Give --follow, --since or both.');
    }
    if (options.until && !options.since) {
      throw new UsageError('--until ends a span that --since begins: give --since too.');
    }
    requireSpan(options);
    await untilInterrupted((signal) => printEvents(service, options, signal));
  },
);

/** Prints and publishes events. */
export const command = new Group('events')
  .description('Published events. Without a sub command: `events print`')
  .addCommand(printCommand, { isDefault: true })
  .addCommand(publish);
