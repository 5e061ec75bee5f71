import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { keys } from '../../../functions/store/keys.ts';
import { isSame } from '../kinds/all.ts';
import { keyOf, nameOf } from '../kinds/kind.ts';
import type { CarryingOut } from '../merge/carry-out.ts';
import { Findings, itemFindings, notPutBack } from '../merge/findings.ts';
import { unclaimedEffects } from '../merge/lost.ts';
import { planRepair, planTakeover } from '../merge/plan-restore.ts';
import { foreseeRepairs, repairAll } from '../merge/repair.ts';
import { durationForm, examples, type Options, parsePastTime, serve } from '../service/command.ts';
import type { Service } from '../service/connect.ts';
import { waitForRequests } from '../service/redacting.ts';
import { readAll } from '../table/bulk.ts';
import { ownRedactions, redactionsIn, redactor } from '../table/redactions.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { facts } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { MergeReport, runMerge } from './merging.ts';

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

${facts(itemFindings).replace(/^/gm, '  ')}

The exit code is 1 after a finding not_put_back, changed_meanwhile or violation, or if something cannot be
redacted yet, and 130 after Ctrl-C.
lib/RESTORE.md has every step.
${examples('restore --from Restored --at 2026-11-01T10:00:00Z --report found.jsonl --dry-run', 'restore --from Restored --at 2026-11-01T10:00:00Z --report found.jsonl', 'restore --into Restored --from Old --at 2026-11-01T10:00:00Z --report found.jsonl')}`,
    ),
  MergeReport,
  (service, options) => restore(service, options),
  // Nothing uses that table yet: the command works on it as on one in service.
  ({ into }) => into,
);

const restore = async (service: Service, options: RestoreOptions) => {
  const { from, into, report, yes } = options;
  await requireTables(options, service.table);
  const findings = new Findings(report);
  const tables = [into ?? service.table, ...(from ? [from] : [])];
  const known = await redactionsIn(tables);
  const progress = new Progress('items');
  const restoring = {
    by: { at: new Date().toISOString(), ...(await service.operator()) },
    at: options.at.toISOString(),
    redact: redactor(await ownRedactions(known, tables)),
    findings,
    onItems: (items: number) => progress.show(items),
  };
  const planning = into ? planTakeover(from, restoring) : planRepair(from ?? '', restoring);
  const plan = await planning.finally(() => progress.clear());
  plan.known = known;
  // Nothing writes into a table that was restored beside the one in service, or uses one that is
  // prepared.
  const [sources, pause] = into ? [tables, async () => {}] : [[service.table], waitForRequests];
  return runMerge(
    {
      ...{ plan, findings, sources, pause, settle: settle(findings) },
      isCounting: false,
      recorded: () => redactionsIn(sources),
      onRefused: ({ after }, reason) =>
        findings.add(notPutBack(after, `It cannot be stored: ${reason}`)),
      confirm: () => confirm(yes, `Write this to ${tables[0]}?`),
      foresee: () => foreseeRepairs(plan, findings),
      async repair() {
        const repaired = await repairAll(restoring);
        for await (const finding of unclaimedEffects(restoring.at)) findings.add(finding);
        return repaired;
      },
    },
    options,
  );
};

/** An item may be as it was to be made, by an earlier run or by its own lost first try. */
const settle =
  (findings: Findings): CarryingOut['settle'] =>
  async ({ after }, there) => {
    if (there) return 'present';
    const [now] = await readAll([keyOf(after)]);
    if (now && isSame(now, after)) return 'present';
    const detail = `${nameOf(after)} has changed since it was planned, and is left as it is.`;
    findings.add({ finding: 'changed_meanwhile', ...keyOf(after), detail });
    return undefined;
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
