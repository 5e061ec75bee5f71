import fc from 'fast-check';
import { decodeTime } from 'ulid';
import { expect, test } from 'vitest';
import { stampMaker } from '../../functions/runtime/stamp.ts';

/** Readings of a clock that stands still, runs, jumps ahead and steps back. */
const readings = fc
  .tuple(
    fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2100-01-01') }),
    fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -5000, max: 5000 })),
      {
        minLength: 1,
        maxLength: 50,
      },
    ),
  )
  .map(([start, steps]) => {
    let nowMs = start;
    return steps.map((step) => {
      nowMs += step;
      return nowMs;
    });
  });

test('identifiers are in the order of their making, as are their times, whatever the clock does', () => {
  fc.assert(
    fc.property(readings, (clock) => {
      const newStamp = stampMaker();
      const made = clock.map((nowMs) => newStamp(nowMs));
      const opaques = made.map(({ opaque }) => opaque);
      expect(opaques).toEqual([...new Set(opaques)].sort());
      const times = opaques.map((opaque) => new Date(decodeTime(opaque)).toISOString());
      expect(made.map(({ created }) => created)).toEqual(times);
    }),
  );
});
