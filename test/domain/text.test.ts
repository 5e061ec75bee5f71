import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { storedText, text } from '../../functions/domain/text.ts';
import {
  controlCharacter,
  invisibleCharacter,
  loneSurrogate,
  plainCharacter,
  plainText,
} from '../support/arbitraries.ts';
import { codesIn, faultsIn } from './body-faults.ts';

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

/** They show another order, stand for a lost character, or fit in no message. */
const misleading = fc.constantFrom(
  ...'\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufffd\ufffe\uffff',
);

test('text with a control character, half a surrogate pair or a misleading character is refused', () => {
  const intruder = fc.oneof(controlCharacter, loneSurrogate, misleading);
  // Nothing of a pair stands beside the intruder, or the two halves would make a character.
  const around = plainText(0, 20).filter((value) => !/[\u{10000}-\u{10ffff}]/u.test(value));
  fc.assert(
    fc.property(around, intruder, around, (before, character, after) => {
      expect(codesIn(text(1, 100), before + character + after)).toContain('invalid_characters');
    }),
  );
});

test('text that was not UTF-8 is told so, and nothing else', () => {
  expect(faultsIn(text(1, 10), 'Gr\ufffd\ufffde')).toEqual([
    {
      pointer: '',
      code: 'invalid_characters',
      detail: 'Must be text in UTF-8. U+FFFD stands for bytes that are not.',
    },
  ]);
});

test('empty text is refused where at least one character is asked for', () => {
  expect(codesIn(text(1, 10), '')).toEqual(['too_short']);
  expect(codesIn(text(0, 10), '')).toEqual([]);
});

test('all that is wrong with a text is said at once', () => {
  expect(codesIn(text(1, 3), 'a\nbcd')).toEqual(['invalid_characters', 'too_long']);
});

test('invisible characters are taken between those that can be seen, as in emoji and Persian', () => {
  const inside = fc.string({ unit: invisibleCharacter, maxLength: 10 });
  fc.assert(
    fc.property(inside, plainCharacter, inside, (before, character, after) => {
      expect(text(1, 100).parse(before + character + after)).toBe(before + character + after);
    }),
  );
});

test('text in which nothing can be seen is refused, whatever it is made of', () => {
  const nothing = fc.string({ unit: invisibleCharacter, minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(nothing, fc.constantFrom(0, 1), (value, minimum) => {
      expect(codesIn(text(minimum, 20), value)).toEqual(['invisible']);
    }),
  );
});

test('a text that was stored before it was refused can still be read', () => {
  const value = fc.string({
    unit: fc.oneof(invisibleCharacter, fc.constantFrom('\u2028', '\u2029', '\u202e', '\ufffe')),
    minLength: 1,
  });
  fc.assert(
    fc.property(value, (stored) => {
      expect(storedText(1, 1000).parse(stored)).toBe(stored);
    }),
  );
});

test('the pattern in the document refuses what is refused, as far as it can say it', () => {
  const { pattern = '' } = z.toJSONSchema(text(1, 100));
  const allowed = new RegExp(pattern, 'u');
  const any = fc.string({
    unit: fc.oneof(
      plainCharacter,
      invisibleCharacter,
      controlCharacter,
      fc.constantFrom('\u202e', '\ufffe', '\uffff'),
    ),
    maxLength: 6,
  });
  fc.assert(
    fc.property(any, (value) => {
      // Without \p, it recognises no invisible characters beyond U+FFFF. It leaves out three.
      fc.pre(!/[\u2028\u2029\ufeff\u{e0000}-\u{e0fff}]/u.test(value));
      expect(allowed.test(value)).toBe(codesIn(text(1, 100), value).length === 0);
    }),
  );
});
