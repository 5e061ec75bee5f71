import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the last recorded run of each case and each bug has found (results.json). */
export interface Results {
  /** The number of schedules by case. */
  readonly cases: Readonly<Record<string, number>>;
  /** By bug, the number of schedules until it was found, and the shortest line that shows it. */
  readonly bugs: Readonly<Record<string, { readonly schedules: number; readonly line?: string }>>;
}

const resultsFile = join(import.meta.dirname, 'results.json');

/** The results of the last recorded runs. */
export const readResults = (): Results => JSON.parse(readFileSync(resultsFile, 'utf8'));

/** Adds the results of a run to those of the others. */
export const recordResults = (found: Results): void => {
  const results = readResults();
  const all = {
    cases: { ...results.cases, ...found.cases },
    bugs: { ...results.bugs, ...found.bugs },
  };
  writeFileSync(resultsFile, `${JSON.stringify(all, null, 2)}\n`);
};
