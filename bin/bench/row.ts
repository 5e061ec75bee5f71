import type { Spread } from './spread.ts';

/** A line of the table: what was measured, and its maximum if it has one. */
export interface Row {
  readonly what: string;
  /** What it is compared with. */
  readonly against: string;
  readonly measured: Spread;
  readonly target?: number;
  /** Those behind the ratio, in milliseconds. */
  readonly medians: string;
}

/** Whether the target is met; undefined without one. */
export const isMet = ({ measured: { median }, target }: Row): boolean | undefined =>
  target === undefined ? undefined : median <= target;
