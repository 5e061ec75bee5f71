import type { Spread } from './spread.ts';
import type { Bench } from './start-bench.ts';

/** A line of the table: what was measured, and what it may be at most, if anything is said. */
export interface Row {
  readonly what: string;
  readonly measured: Spread;
  readonly target?: number;
  /** The medians behind the ratio. */
  readonly note: string;
}

/** A group of measurements, which can be taken without the others. */
export interface Part {
  readonly name: string;
  readonly measure: (bench: Bench) => Promise<readonly Row[]>;
}

export const isMet = ({ measured: { median }, target }: Row): boolean | undefined =>
  target === undefined ? undefined : median <= target;
