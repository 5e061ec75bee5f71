import type { Spread } from './spread.ts';
import type { Bench } from './start-bench.ts';

/** A line of the table: what was measured, and what it must reach, if anything. */
export interface Row {
  readonly what: string;
  readonly measured: Spread;
  readonly unit: '×' | 'ms' | 'µs' | 'connections' | 'requests/s' | 'MB' | '% of a core';
  readonly target?: { readonly most: number } | { readonly least: number };
  /** The figures behind a ratio. */
  readonly note?: string;
}

/** A group of measurements, which can be taken without the others. */
export interface Part {
  readonly name: string;
  /** Whether it needs the stream and the queues to be read. */
  readonly consuming?: true;
  readonly measure: (bench: Bench) => Promise<readonly Row[]>;
}

export const isMet = ({ measured: { median }, target }: Row): boolean | undefined => {
  if (!target) return undefined;
  return 'most' in target ? median <= target.most : median >= target.least;
};
