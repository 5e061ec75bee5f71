import { Command, InvalidArgumentError, Option } from 'commander';
import { Event } from '../../../functions/domain/events.ts';
import { loadEvent } from '../../../functions/queue/publish.ts';
import { type OutgoingEvent, putEvents } from '../../../functions/queue/put-events.ts';
import { httpUrl } from '../../http-url.ts';
import { readEvents, requireRules, startReplay } from '../events/event-tap.ts';
import { type Forwarding, forward } from '../events/forward.ts';
import {
  durationForm,
  examples,
  type Options,
  parsePastTime,
  withService,
} from '../service/command.ts';
import type { Service } from '../service/connect.ts';
import { eventfulItems } from '../table/eventful-items.ts';
import { batched } from '../table/in-parallel.ts';
import { AdminError, InterruptedError, UsageError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
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
    throw new UsageError(
      "The URL of --forward-to must not contain credentials. Give --header 'Authorization: …' instead.",
    );
  }
  return url;
};

const header = (text: string, others = new Headers()): Headers => {
  const [, name = '', value = ''] = /^([^:]+):(.*)$/.exec(text) ?? [];
  try {
    others.append(name, value);
    return others;
  } catch {
    throw new InvalidArgumentError("Give a header such as 'X-Api-Key: secret'.");
  }
};

interface PrintOptions extends Options {
  readonly follow?: boolean;
  readonly since?: Date;
  readonly until?: Date;
  readonly type?: readonly string[];
  readonly forwardTo?: URL;
  readonly header?: Headers;
}

interface ReplayOptions extends Options {
  readonly since: Date;
  readonly until?: Date;
  readonly rule: readonly string[];
}

interface PublishOptions extends Options {
  readonly since: Date;
  readonly dryRun?: boolean;
}

/** @throws UsageError when a span ends before it begins: EventBridge rejects it or finds nothing */
const requireSpan = ({ since, until }: { since?: Date; until?: Date }): void => {
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
  const { follow = false, since, until, type, forwardTo, header = new Headers(), json } = options;
  const widths: number[] = [];
  let [done, refused] = [0, 0];
  const show = async (event: Event) => {
    done += 1;
    if (!forwardTo) return print(json, event, () => aligned([cellsOf(event)], widths));
    const forwarding = await forward(forwardTo, header, event, signal);
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

const jsonOf = ({ id, type }: Event, { status, fault, tries, durationMs }: Forwarding) => ({
  id,
  type,
  ...(status === undefined ? { error: fault } : { status }),
  tries,
  duration_ms: durationMs,
});

const lineOf = ({ time, type, data }: Event, { status, fault, tries, durationMs }: Forwarding) => [
  time,
  type,
  effectOf(data).id,
  status ?? fault,
  `${durationMs} ms`,
  tries > 1 ? `${tries} tries` : '',
];

const replay = new Command('replay')
  .description('Send the archived events of a span of time to the rules of the bus again.')
  .addOption(sinceOption('the start').makeOptionMandatory())
  .addOption(untilOption())
  .option(
    '--rule <arn>',
    'only this rule; may be repeated',
    (arn: string, all: readonly string[]) => [...all, arn],
    [] as readonly string[],
  )
  .addHelpText(
    'after',
    `
A replayed event has the same id and the name of the replay. EventBridge archives an event within ten
minutes.
${examples('events replay --since 2h --yes', 'events replay --since 2026-11-01T10:00:00Z --until 2026-11-01T11:00:00Z --rule arn:aws:events:…')}`,
  )
  .action(
    withService(async (service, options: ReplayOptions) => {
      requireSpan(options);
      const { since, until = new Date(), rule, json, yes } = options;
      requireRules(service, rule);
      const targets = rule.length > 0 ? countOf(rule.length, 'rule') : 'every rule of the bus';
      const span = `from ${since.toISOString()} to ${until.toISOString()}`;
      await confirm(yes, `Replay the events ${span} to ${targets}?`);
      const isReplaying = await startReplay(service, {
        since,
        until,
        ...(rule.length > 0 && { rules: rule }),
      });
      while (await isReplaying());
      print(json, { since, until }, () => `The events ${span} were replayed.`);
    }),
  );

const publish = new Command('publish')
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
  )
  .action(
    withService(async (_, { since, dryRun = false, json }: PublishOptions) => {
      const { found, refused } = await publishAgain(since.toISOString(), dryRun);
      const published = dryRun ? 0 : found - refused;
      print(json, { found, published }, () =>
        dryRun ? `${countOf(found, 'event')}.` : `${countOf(published, 'event')} published.`,
      );
      if (refused > 0) {
        throw new AdminError(
          `${countOf(refused, 'event')} could not be published.\n${mayHaveBeenSent}`,
        );
      }
    }),
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

const printCommand = new Command('print')
  .description(
    'Print the events on the bus as they arrive, or those of the archive, or post them to a URL.',
  )
  .option('--follow', 'print new events until Ctrl-C')
  .addOption(sinceOption('print the archived events since then'))
  .addOption(untilOption())
  .option('--type <type>', 'only events of this type; may be repeated', eventType)
  .option('--forward-to <url>', 'post each event there, and print the result', handlerUrl)
  .option('--header <header>', "a header for --forward-to: 'Name: value'; may be repeated", header)
  .addHelpText(
    'after',
    `
The command adds a rule and a queue of its own, and removes them at its end. Consumers are not affected.
With --stage, it waits a minute until the rule is in effect, and --since ends 20 seconds after the last event.
Ctrl-C ends --follow with 0, and a reading of the archive with 130, because events may be missing.

--forward-to posts an event as an API destination of EventBridge does: the body is the event, and the
handler has 5 seconds to answer. After an answer 401, 407, 409, 429 or 5xx, or none, it posts the event
again, three times in all. The exit code is 1 if the handler has not accepted an event.
${examples('events --follow', 'events --since 1h --json', "events --follow --forward-to http://127.0.0.1:4000/hook --type sandbox.ready --header 'X-Api-Key: secret'")}`,
  )
  .action(
    withService(async (service, options: PrintOptions) => {
      if (!options.follow && !options.since) {
        throw new UsageError('Give --follow, --since or both.');
      }
      if (options.until && !options.since) {
        throw new UsageError('--until ends a span that --since begins: give --since too.');
      }
      if (options.header && !options.forwardTo) {
        throw new UsageError('--header belongs to --forward-to: give that too.');
      }
      requireSpan(options);
      await untilInterrupted((signal) => printEvents(service, options, signal));
    }),
  );

/** Prints, replays and publishes events. */
export const command = new Command('events')
  .description('Published events. Without a sub command: `events print`')
  .addCommand(printCommand, { isDefault: true })
  .addCommand(replay)
  .addCommand(publish);
