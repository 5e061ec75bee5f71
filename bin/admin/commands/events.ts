import { Command, Option } from 'commander';
import type { Event } from '../../../functions/domain/events.ts';
import { loadEvent } from '../../../functions/queue/publish.ts';
import { type OutgoingEvent, putEvents } from '../../../functions/queue/put-events.ts';
import { openEventTap, requireRules, startReplay } from '../events/event-tap.ts';
import type { Service } from '../service/connect.ts';
import { durationForm, pastTime } from '../service/duration.ts';
import { examples, type Options } from '../service/options.ts';
import { withService } from '../service/with-service.ts';
import { eventfulItems } from '../table/eventful-items.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { aligned, count, print } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';

const since = (what: string) =>
  new Option('--since <time>', `${what}: how long ago (${durationForm}), or ISO 8601`).argParser(
    pastTime,
  );

const until = () =>
  new Option('--until <time>', 'the end of the span; now unless given').argParser(pastTime);

interface PrintOptions extends Options {
  readonly follow?: boolean;
  readonly since?: Date;
  readonly until?: Date;
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

const printEvents = async (service: Service, options: PrintOptions): Promise<void> => {
  const { follow = false, since, json } = options;
  const stopped = new AbortController();
  // npm and the terminal may both pass the signal on. SIGPIPE is that of bin/admin.ts.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE']) {
    process.on(signal, () => stopped.abort());
  }
  const tap = await openEventTap(service, follow);
  try {
    const isReplaying =
      since &&
      (await startReplay(service, {
        since,
        until: options.until ?? new Date(),
        rules: [tap.ruleArn],
      }));
    let replaying = isReplaying !== undefined;
    const printedIds = new Set<string>();
    const widths: number[] = [];
    while (!stopped.signal.aborted) {
      replaying = replaying && isReplaying ? await isReplaying() : false;
      const events = await tap.receive();
      for (const event of events) {
        if (printedIds.has(event.id)) continue;
        printedIds.add(event.id);
        print(json, event, () => aligned([cellsOf(event)], widths));
      }
      if (!follow && !replaying && events.length === 0) return;
    }
  } finally {
    await tap.close();
  }
};

const cellsOf = ({ time, type, data, workspace, actor }: Event) => {
  const effect = 'approval' in data ? data.approval : data;
  return [time, type, effect.id, 'reason' in effect ? effect.reason : '', workspace, actor];
};

const replay = new Command('replay')
  .description('Hand the archived events of a span of time to the rules of the bus again.')
  .addOption(since('the start').makeOptionMandatory())
  .addOption(until())
  .option(
    '--rule <arn>',
    'only this rule; may be repeated',
    (arn: string, all: readonly string[]) => [...all, arn],
    [] as readonly string[],
  )
  .addHelpText(
    'after',
    `
Consumers get each event with the identifier that it had, and the name of the replay. EventBridge
archives an event within ten minutes.
${examples('events replay --since 2h --yes', 'events replay --since 2026-11-01T10:00:00Z --until 2026-11-01T11:00:00Z --rule arn:aws:events:…')}`,
  )
  .action(
    withService(async (service, options: ReplayOptions) => {
      requireSpan(options);
      const { since, until = new Date(), rule, json, yes } = options;
      requireRules(service, rule);
      const targets = rule.length > 0 ? count(rule.length, 'rule') : 'every rule of the bus';
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
    'Publish the events of what the table says has happened. This reads the whole table once.',
  )
  .addOption(since('what has happened since then').makeOptionMandatory())
  .option('--dry-run', 'say how many events there are, and publish nothing')
  .addHelpText(
    'after',
    `
For events that the stream has given up (dead letters of the queue events), or that the archive does not
have any more. Consumers ignore the events that they have had: each has the identifier that it had then.
Of a delivery attempt, a failure or a bounce that another status has followed is not published again: its
reason is not kept.
${examples('events publish --since 2d --dry-run', 'events publish --since 2026-11-01T10:00:00Z')}`,
  )
  .action(
    withService(async (_, { since, dryRun = false, json }: PublishOptions) => {
      const { found, refused } = await publishAgain(since.toISOString(), dryRun);
      const published = dryRun ? 0 : found - refused;
      print(json, { found, published }, () =>
        dryRun ? `${count(found, 'event')}.` : `${count(published, 'event')} published.`,
      );
      if (refused > 0) throw new AdminError(`${count(refused, 'event')} could not be published.`);
    }),
  );

/** As many as the publisher gets from the stream at once. */
const batchSize = 100;

const publishAgain = async (since: string, dryRun: boolean) => {
  const progress = new Progress('events');
  let [found, refused] = [0, 0];
  let batch: OutgoingEvent[] = [];
  const flush = async () => {
    refused += (await putEvents(batch)).length;
    batch = [];
  };
  for await (const item of eventfulItems(since)) {
    found += 1;
    progress.show(found);
    if (dryRun) continue;
    try {
      const event = await loadEvent(item);
      batch.push({ id: event.id, event });
    } catch (error) {
      refused += 1;
      console.error(`${item.pk} ${item.sk}: ${(error as Error).message}`);
    }
    if (batch.length === batchSize) await flush();
  }
  await flush();
  progress.clear();
  return { found, refused };
};

const printCommand = new Command('print')
  .description('Print the events on the bus as they come, or those of the archive.')
  .option('--follow', 'print new events until Ctrl-C')
  .addOption(since('print the archived events since then'))
  .addOption(until())
  .addHelpText(
    'after',
    `
The command adds a rule and a queue of its own, which it removes at its end: consumers notice nothing.
${examples('events --follow', 'events --since 1h --json')}`,
  )
  .action(
    withService(async (service, options: PrintOptions) => {
      if (!options.follow && !options.since) {
        throw new UsageError('Give --follow, --since or both.');
      }
      if (options.until && !options.since) {
        throw new UsageError('--until ends a span that --since begins: give --since too.');
      }
      requireSpan(options);
      await printEvents(service, options);
    }),
  );

/** Prints, replays and publishes events. */
export const command = new Command('events')
  .description('What has happened, as published to consumers')
  .addCommand(printCommand, { isDefault: true })
  .addCommand(replay)
  .addCommand(publish);
