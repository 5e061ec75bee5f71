import { columns } from '../command-line/print.ts';

/** A line of the table: times in milliseconds as multiples of the median of others. */
export const rowOf = (
  what: string,
  against: string,
  [base, ours]: readonly (readonly number[])[],
  most?: number,
) => {
  const [lower, median, upper] = quartilesOf(ours);
  const [, ofBase] = quartilesOf(base);
  const isExceeded = most !== undefined && median / ofBase > most;
  return {
    what,
    against,
    ms: `${figure(median)}/${figure(ofBase)}`,
    ratio: figure(median / ofBase),
    quartiles: `${figure(lower / ofBase)}–${figure(upper / ofBase)}`,
    'at most': `${most ?? ''}${isExceeded ? ' exceeded' : ''}`,
  };
};

export type Row = ReturnType<typeof rowOf>;

/** The rows as a table, with a line each. */
export const tableOf = (rows: readonly Row[]): string => columns(rows);

/** How many of the rows that have a target meet it. */
export const summaryOf = (rows: readonly Row[]): string => {
  const targets = rows.map((row) => row['at most']).filter(Boolean);
  const met = targets.filter((target) => !target.endsWith('exceeded'));
  return `${met.length} of ${targets.length} targets met.`;
};

/** The median of samples, and before and after it the quartiles between which half of them lie. */
const quartilesOf = (samples: readonly number[] = []) => {
  const sorted = samples.toSorted((one, other) => one - other);
  const quantile = (fraction: number) => {
    const position = (sorted.length - 1) * fraction;
    const [below = 0, above = 0] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
    return below + (above - below) * (position % 1);
  };
  return [quantile(0.25), quantile(0.5), quantile(0.75)] as const;
};

/** Three digits that count; more would be noise. */
const figure = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
