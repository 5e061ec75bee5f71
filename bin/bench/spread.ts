/**
 * What repeated measurements came to: the median, and the quartiles between which half of them lie.
 */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

export const spreadOf = (samples: readonly number[]): Spread => {
  const sorted = [...samples].sort((one, other) => one - other);
  return {
    median: quantile(sorted, 0.5),
    lower: quantile(sorted, 0.25),
    upper: quantile(sorted, 0.75),
  };
};

/** Samples as multiples of the median of others, which were taken in turns with them. */
export const ratioOf = (samples: readonly number[], base: readonly number[]): Spread => {
  const { median } = spreadOf(base);
  return spreadOf(samples.map((sample) => sample / median));
};

/** @param sorted ascending, with at least one member */
const quantile = (sorted: readonly number[], fraction: number): number => {
  const position = (sorted.length - 1) * fraction;
  const [below = 0, above = 0] = [sorted[Math.floor(position)], sorted[Math.ceil(position)]];
  return below + (above - below) * (position % 1);
};
