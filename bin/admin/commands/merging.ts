import * as z from 'zod/mini';
import type { Fault } from '../../../functions/domain/problem.ts';
import { type CarryingOut, carryOut } from '../merge/carry-out.ts';
import { shortened } from '../merge/exact-json.ts';
import { type Finding, type Findings, itemFindings } from '../merge/findings.ts';
import type { Plan } from '../merge/plan.ts';
import type { Options, Result } from '../service/command.ts';
import { TallySchema, totalOf } from '../table/tally.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { interruptedCode, interruption } from '../terminal/interruption.ts';
import { countOf, plain } from '../terminal/print.ts';
import { Progress } from '../terminal/progress.ts';
import { sentence } from '../terminal/report-error.ts';

const count = z.int();

/** What an import and a restore print. The counts of a dry run are those of what it would do. */
export const MergeReport = z.object({
  dry_run: z.boolean(),
  interrupted: z.boolean(),
  /** Of an import. */
  lines: z.optional(count),
  /** The items to write, by type. */
  planned: TallySchema,
  created: count,
  updated: count,
  present: count,
  /** Violations. */
  repaired: count,
  /** What was redacted in the table, and what is left there. */
  redacted: TallySchema,
  found: TallySchema,
  findings: TallySchema,
  list: z.array(
    z.union([
      z.object({
        finding: z.literal('bad_line'),
        line: count,
        errors: z.array(z.record(z.string(), z.string())),
      }),
      z.object({
        finding: z.enum(Object.keys(itemFindings)),
        pk: z.string(),
        sk: z.string(),
        detail: z.string(),
        // The form of stored items is not promised.
        now: z.optional(z.looseObject({})),
        restored: z.optional(z.looseObject({})),
        request_id: z.optional(z.string()),
      }),
    ]),
  ),
});
type Report = z.infer<typeof MergeReport>;

/** A planned import or restore. */
export interface Merge extends Omit<CarryingOut, 'signal' | 'onDone'> {
  readonly findings: Findings;
  /** Of an import the lines of its file, and how many of them need no write. */
  readonly lines?: number;
  readonly present?: number;
  /** Aborts at Ctrl-C, if that has been waited for while it was planned. */
  readonly signal?: AbortSignal;
  /** Asks whether to write what is planned. */
  readonly confirm?: () => Promise<void>;
  /** Ends a restore. @returns how many violations it has repaired */
  readonly repair?: () => Promise<number>;
  /** @returns how many violations the end would repair */
  readonly foresee?: () => Promise<number>;
}

interface MergeOptions extends Options {
  readonly dryRun?: boolean | undefined;
}

/** Carries out an import or a restore, or says what it would do. */
export const runMerge = async (
  merge: Merge,
  { json, dryRun = false }: MergeOptions,
): Promise<Result> => {
  const { plan, findings, lines } = merge;
  const report: Report = {
    dry_run: dryRun,
    interrupted: merge.signal?.aborted ?? false,
    ...(lines !== undefined && { lines }),
    planned: plan.counts(),
    ...{ created: 0, updated: 0, present: merge.present ?? 0, repaired: 0 },
    ...{ redacted: {}, found: plan.found, findings: findings.counts, list: [] },
  };
  const printFindings = json ? () => {} : findingPrinter(findings);
  try {
    if (dryRun) {
      Object.assign(report, foreseen(plan));
      report.repaired = (await merge.foresee?.()) ?? 0;
    } else if (!report.interrupted) {
      if (merge.confirm) {
        printFindings();
        console.error(planText({ ...report, ...foreseen(plan) }));
        await merge.confirm();
      }
      await carryOutPlan(merge, report);
    }
  } finally {
    printFindings();
  }
  // There may be more than memory holds.
  if (json) report.list = [...findings.list()] as Report['list'];
  setExitCode(report, findings);
  return { value: report, text: () => (dryRun ? planText(report) : doneText(report)) };
};

/** What a plan would create and update. */
const foreseen = (plan: Plan) => {
  const counts = { created: 0, updated: 0 };
  for (const { before } of plan.values()) counts[before ? 'updated' : 'created'] += 1;
  return counts;
};

/** Adds what it does to the report. */
const carryOutPlan = async (merge: Merge, report: Report): Promise<void> => {
  const { signal = interruption() } = merge;
  const progress = new Progress('items');
  const total = totalOf(report.planned);
  try {
    const onDone = (items: number) => progress.show(items, total);
    Object.assign(report, await carryOut({ ...merge, signal, onDone }, report));
    report.interrupted = signal.aborted;
    if (!signal.aborted) report.repaired = (await merge.repair?.()) ?? 0;
  } catch (error) {
    const until = `Until then: ${countsText(report)}.`;
    throw new AdminError(`${sentence(error)} ${until} The same command continues.`);
  } finally {
    progress.clear();
  }
};

const setExitCode = ({ dry_run, interrupted, found }: Report, findings: Findings): void => {
  const unredacted = totalOf(found);
  if (unredacted > 0 && !dry_run && !interrupted) {
    const what = `${countOf(unredacted, 'record')} cannot be redacted yet`;
    console.error(`${what}: \`redact --workspace <id>\` lists why, and continues later.`);
    process.exitCode = 1;
  }
  if (findings.isOpen) process.exitCode = 1;
  if (interrupted) process.exitCode = interruptedCode;
};

/** So many lines about findings are printed; of a wrong file every line is bad. */
const printedMost = 100;

/** Prints, each time it is called, the findings that are new: bad lines are errors. */
const findingPrinter = (findings: Findings) => {
  let [shown, printed, left] = [0, 0, 0];
  return (): void => {
    for (const finding of findings.list().drop(shown)) {
      if (printed >= printedMost) break;
      const texts = textsOf(finding);
      for (const text of texts)
        (finding.finding === 'bad_line' ? console.error : console.log)(plain(text));
      shown += 1;
      printed += texts.length;
    }
    const more = totalOf(findings.counts) - shown;
    if (more > left)
      console.error(`${countOf(more, 'more finding')} not shown; --json has them all.`);
    left = more;
  };
};

const textsOf = (finding: Finding): string[] =>
  finding.finding === 'bad_line'
    ? finding.errors.map((fault) => `line ${finding.line}: ${faultSentence(fault)}`)
    : [`${finding.finding}: ${finding.detail}`];

/** What is wrong, and where: `/period/starts` is the member and the column `period.starts`. */
export const faultSentence = ({ detail, ...at }: Fault): string => {
  const pointer = 'pointer' in at ? at.pointer : '';
  const place = shortened(pointer.slice(1).replaceAll('/', '.'));
  return plain(place ? `${place}: ${detail}` : detail);
};

/** Measured with DynamoDB Local; over a network it is about as quick. */
const writesPerSecond = 500;

const planText = (report: Report): string => {
  const counts = countsText(report, ['to create', 'to update', 'to repair']);
  const types = Object.entries(report.planned).map(([type, number]) => `${type} ${number}`);
  const seconds = Math.ceil(totalOf(report.planned) / writesPerSecond);
  const unredacted = totalOf(report.found);
  return [
    `${report.interrupted ? 'Interrupted' : 'Plan'}: ${counts}.`,
    ...(types.length > 0 ? [`${types.join(', ')}, in about ${countOf(seconds, 'second')}.`] : []),
    ...(unredacted > 0 ? [`${countOf(unredacted, 'record')} to redact.`] : []),
  ].join(' ');
};

const doneText = (report: Report): string => {
  const { lines, interrupted } = report;
  const start = interrupted ? 'Interrupted' : lines === undefined ? 'Done' : countOf(lines, 'line');
  const redacted = totalOf(report.redacted);
  return [
    `${start}: ${countsText(report)}.`,
    ...(redacted > 0 ? [`${countOf(redacted, 'record')} redacted.`] : []),
    ...(interrupted ? ['The same command continues.'] : []),
  ].join(' ');
};

const countsText = (
  { lines, created, updated, present, repaired, findings }: Report,
  [creating, updating, repairing] = ['created', 'updated', 'repaired'],
): string =>
  [
    `${created.toLocaleString('en')} ${creating}`,
    ...(updated > 0 ? [`${updated.toLocaleString('en')} ${updating}`] : []),
    // A restore does not count what it finds in order.
    ...(lines === undefined && present === 0
      ? []
      : [`${present.toLocaleString('en')} there already`]),
    ...(lines === undefined ? [] : [`${(findings.bad_line ?? 0).toLocaleString('en')} bad`]),
    ...(repaired > 0 ? [`${countOf(repaired, 'violation')} ${repairing}`] : []),
  ].join(', ');
