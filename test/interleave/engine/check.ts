import type { Case, Platform } from './case.ts';
import { type Run, runSchedule } from './explore.ts';
import { Follower, lineOf, shrink } from './line.ts';
import { search } from './search.ts';

/** What became of a case. */
export interface Checked {
  /** How many were run. */
  readonly schedules: number;
  readonly endings: ReadonlySet<string>;
  readonly seconds: number;
  readonly violation?: { readonly line: string; readonly messages: readonly string[] };
}

/**
 * Runs all schedules of a case, up to the first violation.
 *
 * @param onSchedule returns whether to stop
 */
export const checkCase = async (
  platform: Platform,
  each: Case,
  isReduced = true,
  onSchedule: (schedules: number) => boolean = () => false,
): Promise<Checked> => {
  const beginMs = performance.now();
  let schedules = 0;
  const endings = new Set<string>();
  const checked = (violation?: Checked['violation']): Checked => ({
    schedules,
    endings,
    seconds: (performance.now() - beginMs) / 1000,
    ...(violation && { violation }),
  });
  for await (const run of search((choose) => runSchedule(platform, each, choose), isReduced)) {
    schedules += 1;
    if (run.violations) endings.add(run.ending);
    if (run.violations?.length) return checked(await simplify(platform, each, run));
    if (onSchedule(schedules)) break;
  }
  return checked();
};

const readableSteps = 16;

const simplify = async (
  platform: Platform,
  each: Case,
  found: Run,
): Promise<Checked['violation']> => {
  const steps = await shrink(found.steps, async (choose) => {
    const { steps, violations = [] } = await runSchedule(platform, each, choose);
    return { steps, isWrong: violations.length > 0 };
  });
  const run = await runSchedule(platform, each, new Follower(steps, true).choose);
  // What follows is the same without being said; a short line is easier to read with it.
  const printedSteps = run.steps.length <= readableSteps ? run.steps : steps;
  return { line: lineOf(each.name, printedSteps), messages: run.violations ?? [] };
};
