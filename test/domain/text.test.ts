import fc from 'fast-check';
import { expect, test } from 'vitest';
import { text } from '../../functions/domain/text.ts';
import {
  controlCharacter,
  loneSurrogate,
  plainCharacter,
  plainText,
} from '../support/arbitraries.ts';
import { codesIn } from '../support/faults.ts';

const limits = fc
  .tuple(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 1, max: 60 }))
  .map(([minimum, maximum]) => ({ minimum, maximum }));

test('text within its limits is taken as it is', () => {
  const cases = limits.chain(({ minimum, maximum }) =>
    fc.tuple(fc.constant(text(minimum, maximum)), plainText(minimum, maximum)),
  );
  fc.assert(
    fc.property(cases, ([schema, value]) => {
      expect(schema.parse(value)).toBe(value);
    }),
  );
});

test('text is measured in code points, however many UTF-16 units those take', () => {
  fc.assert(
    fc.property(plainCharacter, fc.integer({ min: 1, max: 60 }), (character, maximum) => {
      const schema = text(1, maximum);
      expect(codesIn(schema, character.repeat(maximum))).toEqual([]);
      expect(codesIn(schema, character.repeat(maximum + 1))).toEqual(['too_long']);
    }),
  );
});

test.each(['😀', '👨‍👩‍👧', 'é', '\u{10ffff}'])('%s counts as its code points', (character) => {
  const codePoints = [...character].length;
  expect(codesIn(text(1, codePoints), character)).toEqual([]);
  expect(codesIn(text(1, codePoints), character + character)).toEqual(['too_long']);
});

test('text with a control character or half a surrogate pair anywhere in it is refused', () => {
  const intruder = fc.oneof(controlCharacter, loneSurrogate);
  // Nothing of a pair stands beside the intruder, or the two halves would make a character.
  const around = plainText(0, 20).filter((value) => !/[\u{10000}-\u{10ffff}]/u.test(value));
  fc.assert(
    fc.property(around, intruder, around, (before, character, after) => {
      expect(codesIn(text(1, 100), before + character + after)).toEqual(['invalid_characters']);
    }),
  );
});

test('empty text is refused where at least one character is asked for', () => {
  expect(codesIn(text(1, 10), '')).toEqual(['too_short']);
  expect(codesIn(text(0, 10), '')).toEqual([]);
});

test('all that is wrong with a text is said at once', () => {
  expect(codesIn(text(1, 3), 'a\nbcd')).toEqual(['invalid_characters', 'too_long']);
});
