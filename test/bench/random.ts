/** Numbers from 0 to 1, without 1. */
export type Random = () => number;

/** Mulberry32: the same numbers for the same seed, and even enough to draw requests with. */
export const seeded = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Draws an index by its weight. */
export const weighted = (weights: readonly number[], random: Random): (() => number) => {
  let sum = 0;
  const upTo = weights.map((weight) => {
    sum += weight;
    return sum;
  });
  return () => {
    const drawn = random() * sum;
    let [low, high] = [0, upTo.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((upTo[middle] ?? 0) > drawn) high = middle;
      else low = middle + 1;
    }
    return low;
  };
};
