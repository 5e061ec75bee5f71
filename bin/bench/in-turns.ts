import type { Row } from './row.ts';
import { ratioOf, spreadOf } from './spread.ts';
import { figure } from './table.ts';

/**
 * Takes one sample of each, again and again. What the machine is busy with meanwhile then slows
 * them all alike; going back and forth keeps one from always following the same other.
 *
 * @param measures each takes one sample, in a unit of its own choice
 * @param warmUps rounds before, whose samples do not count
 */
export const inTurns = async <Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
  warmUps = 0,
): Promise<Record<Name, number[]>> => {
  if (warmUps > 0) await inTurns(warmUps, measures);
  const names = Object.keys(measures) as Name[];
  const samples = {} as Record<Name, number[]>;
  for (const name of names) samples[name] = [];
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      samples[name].push(await measures[name]());
    }
  }
  return samples;
};

/** Times as multiples of the median of others, which were taken in turns with them. */
export const comparisonOf = (
  what: string,
  against: string,
  ours: readonly number[],
  base: readonly number[],
  most?: number,
): Row => ({
  what,
  against,
  measured: ratioOf(ours, base),
  ...(most !== undefined && { target: most }),
  medians: `${figure(spreadOf(ours).median)}/${figure(spreadOf(base).median)}`,
});
