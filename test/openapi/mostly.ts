import fc from 'fast-check';

/** The usual one so many times as often as each of the rare ones. */
export const mostly = <Value>(
  usual: fc.Arbitrary<Value>,
  weight: number,
  ...rare: fc.Arbitrary<Value>[]
) => fc.oneof({ weight: weight * rare.length, arbitrary: usual }, ...rare);
