/**
 * Takes one sample of each, again and again. What the machine is busy with meanwhile then slows
 * them all alike; going back and forth keeps one from always following the same other.
 *
 * @param measures each takes one sample, in a unit of its own choice
 * @returns the samples of each
 */
export const inTurns = async (
  rounds: number,
  ...measures: readonly (() => Promise<number>)[]
): Promise<number[][]> => {
  const all = measures.map((measure) => ({ measure, samples: [] as number[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { measure, samples } of round % 2 ? all.toReversed() : all) {
      samples.push(await measure());
    }
  }
  return all.map(({ samples }) => samples);
};

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
