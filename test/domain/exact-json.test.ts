import { expect, test } from 'vitest';
import { lossesIn } from '../../functions/domain/exact-json.ts';

test.each([
  ...['0', '-0.0', '0e400', '1E+2', '1E0', '1.23456789E7', '6.1e-05', '0.0000001', '1e-7'],
  ...['1E15', '-9e15', '123456789012345', '0.000000123456789012345', '1e-130', '100.50'],
])('the number %s is kept, and what it is printed as is taken again', (number) => {
  const text = `{"documents":[${number}]}`;
  expect(lossesIn(text)).toEqual([]);
  expect(lossesIn(JSON.stringify(JSON.parse(text)))).toEqual([]);
});

test.each([
  ...['1E20', '1e400', '1e-400', '1e999999999', '1e-999999999', '1e-131', '-1e-131', '1e16'],
  ...['9007199254740993', '1234567890123456', '0.1234567890123456', '1234567890123456e-20'],
])('the number %s is not', (number) => {
  expect(lossesIn(`{"documents":[${number}]}`)).toEqual([
    {
      pointer: '/documents/0',
      sentence: expect.stringMatching(/^The number must have at most 15 significant digits/),
      value: number,
    },
  ]);
});

test.each(['1E2', '1.73E+12', '7e0'])('a version %s is not, though a member may be', (number) => {
  const losses = [{ pointer: '/version', sentence: 'The version has an exponent.', value: number }];
  expect(lossesIn(`{"payment":{"version":${number}},"version":${number}}`)).toEqual(losses);
});

test('each loss has its place, however deep', () => {
  const places = (text: string) => lossesIn(text).map(({ pointer, value }) => [pointer, value]);
  expect(places('{"a":[0,{"b":1e16,"b":[1e17]}],"__proto__":1,"c":{"b":1e18}}')).toEqual([
    ['/a/1/b', '1e16'],
    ['/a/1/b', 'b'],
    ['/a/1/b/0', '1e17'],
    ['/__proto__', '__proto__'],
    ['/c/b', '1e18'],
  ]);
  const deep = 100_000;
  const [[pointer = ''] = []] = places(`${'['.repeat(deep)}1e16${']'.repeat(deep)}`);
  expect(pointer).toBe('/0'.repeat(100));
});
