import type { Case, Platform } from './case.ts';
import { runSchedule } from './explore.ts';
import { lineOf } from './line.ts';
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
    if (run.violations?.length) {
      return checked({ line: lineOf(each.name, run.steps), messages: run.violations });
    }
    if (onSchedule(schedules)) break;
  }
  return checked();
};
