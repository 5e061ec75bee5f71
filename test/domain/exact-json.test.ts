import fc from 'fast-check';
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
    expect.stringMatching(/^The number \S+ must have at most 15 significant digits/),
  ]);
});

test.each(['1E2', '1.73E+12', '7e0'])('a version %s is not, though a member may be', (number) => {
  const losses = [`The version ${number} has an exponent.`];
  expect(lossesIn(`{"payment":{"version":${number}},"version":${number}}`)).toEqual(losses);
});

/** The significant digits of a number in JSON, and the power of ten of the last one. */
const decimalOf = (text: string) => {
  const [, sign, whole = '', part = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE](.+))?$/.exec(text) ?? [];
  const digits = (whole + part).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  const last = Number(power) - part.length + digits.length - significant.length;
  return significant ? [sign, significant, last] : ['0'];
};

test('a number that is taken comes out with the same value', () => {
  const anyNumber = fc
    .tuple(fc.constantFrom('', '-'), fc.stringMatching(/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/))
    .chain(([sign, digits]) =>
      fc
        .oneof(
          fc.constant(''),
          fc.integer({ min: -140, max: 30 }).map((power) => `e${power}`),
        )
        .map((power) => `${sign}${digits}${power}`),
    );
  let taken = 0;
  fc.assert(
    fc.property(anyNumber, (number) => {
      if (lossesIn(`{"a":${number}}`).length > 0) return;
      taken += 1;
      expect(decimalOf(JSON.stringify(JSON.parse(number)))).toEqual(decimalOf(number));
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
});
