import { Command, InvalidArgumentError, Option } from 'commander';
import { table } from '../../../functions/store/client.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readEvents } from '../events/event-tap.ts';
import { carryOut, redactRest } from '../restore/carry-out.ts';
import { Findings, findingKinds } from '../restore/findings.ts';
import { lostEffects, tornMs, unclaimedEffects } from '../restore/lost.ts';
import { addListed, type Planning, planRepair, planTakeover, readListed } from '../restore/plan.ts';
import type { PlannedChanges } from '../restore/planned-changes.ts';
import { foreseeRepairs, repairAll } from '../restore/repair.ts';
import {
  durationForm,
  examples,
  type Options,
  parsePastTime,
  withService,
} from '../service/command.ts';
import { type Service, useTable } from '../service/connect.ts';
import { redactedText, reportUnredacted, waitForRequests } from '../service/redacting.ts';
import { readAll } from '../table/bulk.ts';
import { ownRedactions, redactionsIn, redactor } from '../table/redactions.ts';
import { AdminError, InterruptedError, UsageError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { interruptedCode, interruption, untilInterrupted } from '../terminal/interruption.ts';
import { countOf, facts, print } from '../terminal/print.ts';
import { sentence } from '../terminal/report-error.ts';
import { type Tally, totalOf } from '../terminal/tally.ts';

interface RestoreOptions extends Options {
  readonly from?: string;
  readonly into?: string;
  readonly at: Date;
  readonly ids?: string;
  readonly report?: string;
  readonly events?: boolean;
  readonly dryRun?: boolean;
}

/** An ARN names the table in service too, and would not be recognised as its name. */
const tableName = (text: string): string => {
  if (/^[\w.-]{3,255}$/.test(text)) return text;
  throw new InvalidArgumentError('A table name has 3 to 255 letters, digits, _, . or -.');
};

/** Restores the table in service from a restored one, or prepares that one to go into service. */
export const command = new Command('restore')
  .description('Repair the table in service from one that DynamoDB has restored beside it.')
  .option('--from <table>', 'the restored table; with --into the old one', tableName)
  .option('--into <table>', 'prepare this restored table to go into service instead', tableName)
  .addOption(
    new Option(
      '--at <time>',
      `the second to which it was restored: ISO 8601, or how long ago (${durationForm})`,
    )
      .argParser(parsePastTime)
      .makeOptionMandatory(),
  )
  .option(
    '--ids <file>',
    'lines of a report whose finding is differs: put these items back to their restored state',
  )
  .option('--report <file>', 'add every finding that it lacks to this file, as JSON Lines')
  .option('--events', 'also list lost effects whose events are in the archive')
  .option('--dry-run', 'print the plan, and write nothing')
  .addHelpText(
    'after',
    `
The command prints a plan, asks for confirmation (--yes confirms), and then writes. Ctrl-C ends it after
the writes in progress; the same command continues. A second run changes nothing. What it writes causes
no event, message or mail.

- Items that the table in service lacks are put back. Existing items are not overwritten, except those
  that --ids names, if they have not changed since they were listed.
- A delivery attempt that was queued or sending is put back as failed: sending it could mail it twice.
- A token is put back as revoked, because it may have been revoked after the restored second. A manager
  who was removed is not put back.
- A sandbox that was provisioning is put back as ready, with new test data.
- What a redaction names is put back without its personal data, also if it is redacted while the command
  runs. What the command finds in the table in service and is still to be redacted, it redacts.
- Torn transactions are repaired: a claim without its effect is removed.
- With --into, these later states are taken from --from: acts of operators, revocations, removals of
  managers, and ends of delivery attempts. Without --from all tokens are revoked.

Findings:

${facts(findingKinds).replace(/^/gm, '  ')}

The exit code is 1 after a finding not_put_back, changed_meanwhile or violation, or if something cannot be
redacted yet, and 130 after Ctrl-C.
lib/RESTORE.md has every step.
${examples('restore --from Restored --at 2026-11-01T10:00:00Z --report found.jsonl --dry-run', 'restore --from Restored --at 2026-11-01T10:00:00Z --ids chosen.jsonl', 'restore --into Restored --from Old --at 2026-11-01T10:00:00Z --report found.jsonl')}`,
  )
  .action(withService((service, options: RestoreOptions) => restore(service, options)));

const restore = async (service: Service, options: RestoreOptions): Promise<void> => {
  const { from, into, ids, report, json, yes, dryRun = false } = options;
  await requireTables(options);
  const listed = ids ? readListed(ids) : [];
  if (into) useTable(into);
  const findings = new Findings(report, json);
  const at = options.at.toISOString();
  const by = { at: new Date().toISOString(), ...(await service.operator()) };
  const tables = [table(), ...(from ? [from] : [])];
  const redactions = await redactionsIn(tables);
  const planning: Planning = {
    ...{ by, at, redactions, found: {}, onFinding: findings.add },
    redact: redactor(await ownRedactions(redactions, tables)),
    // Nothing writes into a table that was restored beside the one in service.
    sources: into ? tables : [table()],
  };
  const changes = into
    ? await planTakeover(from, planning)
    : await planRepair(from ?? '', planning);
  addListed(changes, listed, planning);
  if (options.events) await listPublished(service, changes, planning);
  const planned = changes.counts();
  if (dryRun) {
    const repairs = await foreseeRepairs(changes, findings.add);
    const { all, counts } = findings;
    const { found } = planning;
    print(json, { planned, repairs, found, findings: counts, list: all }, () =>
      planText(planning, planned, repairs),
    );
  } else {
    console.error(planText(planning, planned));
    await confirm(yes, `Write this to ${table()}?`);
    // Nothing uses a table that is prepared.
    const pause = into ? async () => {} : waitForRequests;
    await work(changes, planning, pause, findings, json).catch((error: unknown) => {
      throw new AdminError(`${sentence(error)} The same command continues.`);
    });
  }
  if (findings.isOpen) process.exitCode ||= 1;
};

const requireTables = async ({ from, into, ids }: RestoreOptions): Promise<void> => {
  if (!from && !into) throw new UsageError('Name the restored table: --from, or --into.');
  if (into && ids)
    throw new UsageError('--ids chooses items of the table in service: leave out --into.');
  if ((into ?? from) === table() || from === into) {
    throw new AdminError(
      `${into ?? from} is in service already, or named twice: name the restored table.`,
    );
  }
  for (const [option, name] of Object.entries({ '--from': from, '--into': into })) {
    if (name) await requireTable(option, name);
  }
};

/** @throws AdminError when DynamoDB has no such table, or is still creating it */
const requireTable = async (option: string, name: string): Promise<void> => {
  await readAll([keys.token('')], name).catch((error: Error) => {
    if (error.name !== 'ResourceNotFoundException') throw error;
    throw new AdminError(`${option} names ${name}, and there is no such table, or not yet.`);
  });
};

/**
 * Lists the effects that were published and that neither the table nor the plan has.
 *
 * @throws InterruptedError
 */
const listPublished = (
  service: Service,
  changes: PlannedChanges,
  { at, redact, onFinding }: Planning,
): Promise<void> =>
  untilInterrupted(async (signal) => {
    const since = new Date(Date.parse(at) - tornMs);
    const events = readEvents(service, { span: { since }, signal });
    for await (const finding of lostEffects(events, redact)) {
      if (!changes.get({ ...finding })) onFinding(finding);
    }
    if (signal.aborted) throw new InterruptedError('Interrupted. Nothing was done.', signal.reason);
  });

const work = async (
  changes: PlannedChanges,
  planning: Planning,
  pause: () => Promise<unknown>,
  findings: Findings,
  json?: boolean,
): Promise<void> => {
  const signal = interruption();
  const done = await carryOut(changes, planning, signal);
  const { redacted, found } = await redactRest(planning, pause);
  const interrupted = signal.aborted;
  const repaired = interrupted ? 0 : await repairAll(planning);
  if (!interrupted) {
    for await (const finding of unclaimedEffects(planning.at)) findings.add(finding);
  }
  const { all, counts } = findings;
  const report = { ...done, redacted, found, repaired, interrupted, findings: counts, list: all };
  print(json, report, () =>
    [
      `${countOf(done.written, 'item')} written, ${done.present.toLocaleString('en')} there already,`,
      `${countOf(repaired, 'violation')} repaired.`,
      ...redactedText(redacted),
      ...(interrupted ? ['Interrupted: the same command continues.'] : []),
    ].join(' '),
  );
  reportUnredacted(found);
  if (interrupted) process.exitCode = interruptedCode;
};

/** Measured with DynamoDB Local; over a network it is about as quick. */
const writesPerSecond = 500;

const planText = (
  { found }: Pick<Planning, 'found'>,
  planned: Readonly<Tally>,
  repairs?: number,
): string => {
  const unredacted = totalOf(found);
  const total = totalOf(planned);
  const types = Object.entries(planned).map(([type, number]) => `${type} ${number}`);
  const seconds = countOf(Math.ceil(total / writesPerSecond), 'second');
  return [
    `Plan: ${countOf(total, 'item')} to write${total > 0 ? ` (${types.join(', ')}), in about ${seconds}` : ''}.`,
    ...(repairs === undefined ? [] : [`${countOf(repairs, 'more violation')} to repair.`]),
    ...(unredacted > 0 ? [`${countOf(unredacted, 'record')} to redact.`] : []),
  ].join(' ');
};
