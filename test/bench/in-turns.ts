/**
 * Takes one sample of each, again and again. What the machine is busy with meanwhile then slows
 * them all alike; going back and forth keeps one from always following the same other.
 *
 * @param measures each takes one sample, in a unit of its own choice
 */
export const inTurns = async <Name extends string>(
  rounds: number,
  measures: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, number[]>> => {
  const names = Object.keys(measures) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    Name,
    number[]
  >;
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 ? names.toReversed() : names) {
      samples[name].push(await measures[name]());
    }
  }
  return samples;
};

/** How long something takes, in milliseconds. */
export const durationOf = async (run: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
};
