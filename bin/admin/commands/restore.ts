import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { keys } from '../../../functions/store/keys.ts';
import { isSame } from '../kinds/all.ts';
import { type Item, keyOf, nameOf } from '../kinds/kind.ts';
import { carryOut, redactRest } from '../merge/carry-out.ts';
import { type Finding, Findings, findingKinds, notPutBack } from '../merge/findings.ts';
import { unclaimedEffects } from '../merge/lost.ts';
import type { Plan } from '../merge/plan.ts';
import { planRepair, planTakeover, type Restoring } from '../merge/plan-restore.ts';
import { foreseeRepairs, repairAll } from '../merge/repair.ts';
import { durationForm, examples, type Options, parsePastTime, serve } from '../service/command.ts';
import type { Service } from '../service/connect.ts';
import { redactedText, reportUnredacted, waitForRequests } from '../service/redacting.ts';
import { readAll } from '../table/bulk.ts';
import { ownRedactions, redactionsIn, redactor } from '../table/redactions.ts';
import { type Tally, TallySchema, totalOf } from '../table/tally.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { interruptedCode, interruption } from '../terminal/interruption.ts';
import { countOf, facts, plain, printedMost } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { sentence } from '../terminal/report-error.ts';

interface RestoreOptions extends Options {
  readonly from?: string | undefined;
  readonly into?: string | undefined;
  readonly at: Date;
  readonly report?: string | undefined;
  readonly dryRun?: true | undefined;
}

/** An ARN names the table in service too, and would not be recognised as its name. */
const tableName = (text: string): string => {
  if (/^[\w.-]{3,255}$/.test(text)) return text;
  throw new InvalidArgumentError('A table name has 3 to 255 letters, digits, _, . or -.');
};

/** Restores the table in service from a restored one, or prepares that one to go into service. */
export const command = serve(
  new Command('restore')
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
    .option('--report <file>', 'add every finding that it lacks to this file, as JSON Lines')
    .option('--dry-run', 'print the plan, and write nothing')
    .addHelpText(
      'after',
      `
The command prints a plan, asks for confirmation (--yes confirms), and then writes. Ctrl-C ends it after
the writes in progress; the same command continues. A second run changes nothing. What it writes causes
no event, message or mail.

- Items that the table in service lacks are put back. Existing items are not overwritten.
- A delivery attempt that was queued or sending is put back as failed: sending it could mail it twice.
- A token is put back as revoked, because it may have been revoked after the restored second.
- A sandbox that was provisioning is put back as ready, with new test data.
- What a redaction names is put back without its personal data, also if it is redacted while the command
  runs. What the command finds in the table in service and is still to be redacted, it redacts.
- Torn transactions are repaired: a claim without its effect is removed.
- With --into, these later states are taken from --from: acts of operators, revocations, removals
  of managers, and ends of delivery attempts. Without --from all tokens are revoked.

Findings:

${facts(findingKinds).replace(/^/gm, '  ')}

The exit code is 1 after a finding not_put_back, changed_meanwhile or violation, or if something cannot be
redacted yet, and 130 after Ctrl-C.
lib/RESTORE.md has every step.
${examples('restore --from Restored --at 2026-11-01T10:00:00Z --report found.jsonl --dry-run', 'restore --from Restored --at 2026-11-01T10:00:00Z --report found.jsonl', 'restore --into Restored --from Old --at 2026-11-01T10:00:00Z --report found.jsonl')}`,
    ),
  z.object({
    // Of a dry run.
    planned: z.optional(TallySchema),
    repairs: z.optional(z.int()),
    // Of one that wrote.
    written: z.optional(z.int()),
    present: z.optional(z.int()),
    repaired: z.optional(z.int()),
    redacted: z.optional(TallySchema),
    interrupted: z.optional(z.boolean()),
    found: TallySchema,
    findings: TallySchema,
    list: z.array(
      z.object({
        finding: z.enum(Object.keys(findingKinds)),
        pk: z.string(),
        sk: z.string(),
        detail: z.string(),
        // The form of stored items is not promised.
        now: z.optional(z.looseObject({})),
        restored: z.optional(z.looseObject({})),
        request_id: z.optional(z.string()),
      }),
    ),
  }),
  (service, options) => restore(service, options),
  // Nothing uses that table yet: the command works on it as on one in service.
  ({ into }) => into,
);

const restore = async (service: Service, options: RestoreOptions) => {
  const { from, into, report, json, yes, dryRun = false } = options;
  await requireTables(options, service.table);
  const list: Finding[] = [];
  const findings = new Findings(report, json ? (each) => list.push(each) : printFinding());
  const by = { at: new Date().toISOString(), ...(await service.operator()) };
  const tables = [into ?? service.table, ...(from ? [from] : [])];
  const known = await redactionsIn(tables);
  const progress = new Progress('items');
  const restoring = {
    by,
    at: options.at.toISOString(),
    redact: redactor(await ownRedactions(known, tables)),
    onFinding: (finding: Finding) => {
      progress.clear();
      findings.add(finding);
    },
    onItems: (items: number) => progress.show(items),
  };
  const plan = into ? await planTakeover(from, restoring) : await planRepair(from ?? '', restoring);
  plan.known = known;
  progress.clear();
  const planned = plan.counts();
  const { found } = plan;
  if (dryRun) {
    const repairs = await foreseeRepairs(plan, findings.add);
    if (findings.isOpen) process.exitCode = 1;
    return {
      value: { planned, repairs, found, findings: findings.counts, list },
      text: () => planText(planned, found, repairs),
    };
  }
  console.error(planText(planned, found));
  await confirm(yes, `Write this to ${tables[0]}?`);
  // Nothing writes into a table that was restored beside the one in service, or uses one that is
  // prepared.
  const [sources, pause] = into ? [tables, async () => {}] : [[service.table], waitForRequests];
  const done = await work(plan, restoring, sources, pause).catch((error: unknown) => {
    throw new AdminError(`${sentence(error)} The same command continues.`);
  });
  reportUnredacted(done.found);
  if (done.interrupted) process.exitCode = interruptedCode;
  if (findings.isOpen) process.exitCode ||= 1;
  return { value: { ...done, findings: findings.counts, list }, text: () => doneText(done) };
};

const requireTables = async ({ from, into }: RestoreOptions, inService: string): Promise<void> => {
  if (!from && !into) throw new UsageError('Name the restored table: --from, or --into.');
  if ((into ?? from) === inService || from === into) {
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

/** Prints a finding, and of many only the first. */
const printFinding = () => {
  let printed = 0;
  return ({ finding, detail }: Finding): void => {
    printed += 1;
    if (printed <= printedMost) console.log(plain(`${finding}: ${detail}`));
    else if (printed === printedMost + 1)
      console.log('More findings are not printed; --report writes them all.');
  };
};

const work = async (
  plan: Plan,
  restoring: Restoring,
  sources: readonly string[],
  pause: () => Promise<unknown>,
) => {
  const signal = interruption();
  const { onFinding, onItems, at } = restoring;
  const done = { written: 0, present: 0, repaired: 0, interrupted: false };
  for await (const outcomes of carryOut(plan, { signal, isCounting: false, sources })) {
    for (const outcome of outcomes) {
      const { change, result } = outcome;
      if (result === 'created' || result === 'updated') done.written += 1;
      else if (result === 'refused') {
        onFinding(notPutBack(change.after, `It cannot be stored: ${outcome.reason}`));
      } else if (result === 'present' || (await isMade(change.after))) done.present += 1;
      else {
        const detail = `${nameOf(change.after)} has changed since it was planned, and is left as it is.`;
        onFinding({ finding: 'changed_meanwhile', ...keyOf(change.after), detail });
      }
    }
    onItems(done.written + done.present, '');
  }
  const rest = await redactRest(plan, await redactionsIn(sources), pause);
  done.interrupted = signal.aborted;
  if (!done.interrupted) {
    done.repaired = await repairAll(restoring);
    for await (const finding of unclaimedEffects(at)) onFinding(finding);
  }
  return { ...done, ...rest };
};

/** Whether an item is as it was to be made, by an earlier run or by its own lost first try. */
const isMade = async (after: Item): Promise<boolean> => {
  const [now] = await readAll([keyOf(after)]);
  return now !== undefined && isSame(now, after);
};

const doneText = (done: Awaited<ReturnType<typeof work>>): string => {
  const { written, present, repaired, redacted, interrupted } = done;
  return [
    `${countOf(written, 'item')} written, ${present.toLocaleString('en')} there already,`,
    `${countOf(repaired, 'violation')} repaired.`,
    ...redactedText(redacted),
    ...(interrupted ? ['Interrupted: the same command continues.'] : []),
  ].join(' ');
};

/** Measured with DynamoDB Local; over a network it is about as quick. */
const writesPerSecond = 500;

const planText = (planned: Readonly<Tally>, found: Readonly<Tally>, repairs?: number): string => {
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
