import { expect, test } from 'vitest';
import { entityTags, nameVersion } from '../../functions/domain/entity-tags.ts';

test.each([
  ['"7"', ['"7"']],
  ['"6", "7"', ['"6"', '"7"']],
  ['"7"\t,"6","7"', ['"6"', '"7"']],
  [', "7" ,, ', ['"7"']],
  ['W/"7","7"', ['"7"', 'W/"7"']],
  ['"a,b", ""', ['""', '"a,b"']],
  ['"\\"', ['"\\"']],
  ['"\u00e9\u{1f600}"', ['"\u00e9\u{1f600}"']],
  [' *\t', ['*']],
])('%j is a set of tags, sorted', (value, tags) => {
  expect(entityTags(value)).toEqual(tags);
});

test.each([
  '',
  ' ',
  ',',
  '7',
  '"7',
  '7"',
  '"7" "8"',
  '"7""8"',
  'w/"7"',
  'W/ "7"',
  'W/7',
  '*, "7"',
  '*, *',
  '"a b"',
  "'7'",
  '"7";',
  '"\u007f"',
  '"7"\n',
])('%j is no list of tags', (value) => {
  expect(entityTags(value)).toBeUndefined();
});

test('a list of which nothing is a tag takes no time', () => {
  expect(entityTags(`${' , '.repeat(20_000)}x`)).toBeUndefined();
  expect(entityTags(`${' '.repeat(60_000)}x`)).toBeUndefined();
});

test.each([
  [['"7"'], 7, true],
  [['*'], undefined, true],
  [['"0"'], 0, true],
  [['W/"7"'], 7, false],
  [['"07"', '"7.0"', '" 7"', '7'], 7, false],
  [['"undefined"'], undefined, false],
])('%j names %s: %s', (tags, version, isNamed) => {
  expect(nameVersion(tags, version)).toBe(isNamed);
});
