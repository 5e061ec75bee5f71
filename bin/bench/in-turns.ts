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
