import fc from 'fast-check';

/**
 * Any code point. fast-check's own `binary` maps all 1.1 million of them when a file loads, for a
 * second.
 */
export const character = fc
  .integer({ min: 0, max: 0x10ffff })
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

/** One code point that a text may hold and that can be seen. */
export const plainCharacter = character.filter(
  (character) => !/[\p{Cc}\p{Cf}\p{Z}\p{DI}\u2800\ufffd-\uffff]/u.test(character),
);

/** A valid character that is invisible: a space, a joiner, a variation selector, a tag … */
export const invisibleCharacter = fc.constantFrom(
  ...' \u00a0\u00ad\u034f\u115f\u1680\u180e\u2000\u200a\u200b\u200c\u200d\u200e\u200f',
  ...'\u2060\u2063\u2800\u3000\u3164\ufe0f\ufeff\uffa0\u{e0001}\u{e0067}\u{e0100}',
);

/** Text from `minimum` to `maximum` code points that a field takes. */
export const plainText = (minimum: number, maximum: number) =>
  fc.string({ unit: plainCharacter, minLength: minimum, maxLength: maximum, size: 'max' });

export const controlCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0x1f }), fc.integer({ min: 0x7f, max: 0x9f }))
  .map((code) => String.fromCharCode(code));

/** Half of a surrogate pair, which cannot be written as UTF-8. */
export const loneSurrogate = fc
  .integer({ min: 0xd800, max: 0xdfff })
  .map((code) => String.fromCharCode(code));

/** What follows the prefix of an identifier. */
const opaque = fc.string({
  unit: fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-'),
  minLength: 1,
  maxLength: 100,
});

const date = fc
  .date({
    min: new Date('0000-01-01T00:00:00.000Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((instant) => instant.toISOString().slice(0, 10));

const prefixed = (prefix: string, rest: fc.Arbitrary<string>) =>
  rest.map((text) => `${prefix}${text}`);

/** A JSON object with some of the known members, of any type, beside members nobody knows. */
export const nearlyValid = (names: readonly string[]): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue()),
      fc.dictionary(
        fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'a/b~c')),
        fc.jsonValue(),
      ),
    )
    .map((parts) => JSON.parse(`{${parts.map(members).filter(Boolean).join(',')}}`));

const members = (object: object) => JSON.stringify(object).slice(1, -1);

/** One that is valid, or now and then another. */
const mostly = <T, U>(valid: fc.Arbitrary<T>, other: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: valid }, { weight: 1, arbitrary: other });

const anyText = mostly(
  plainText(1, 4),
  fc.oneof(
    fc.string({
      unit: fc.oneof(loneSurrogate, invisibleCharacter, controlCharacter),
      maxLength: 4,
    }),
    fc.constant('\u{e0067}'),
  ),
);

const joined = (separator: string, ...parts: fc.Arbitrary<unknown>[]) =>
  fc.tuple(...parts).map((all) => all.join(separator));

const anyDate = mostly(date, fc.constantFrom('2026-02-29', '2026-13-01', '26-01-01'));

/** What may be a time of RFC 3339, also of a year that UTC would not have. */
const anyTime = joined(
  '',
  mostly(anyDate, fc.constantFrom('0000-01-01', '9999-12-31')),
  mostly(fc.constantFrom('T', 't', ' '), fc.constant('_')),
  mostly(fc.constantFrom('00:00:00', '23:59:59', '23:59:60'), fc.constantFrom('24:00:00', '9:00')),
  mostly(fc.constantFrom('', '.5', '.123456'), fc.constantFrom('.', ',5')),
  mostly(fc.constantFrom('Z', 'z', '+00:00', '-23:59', '+23:59'), fc.constantFrom('+24:00', '')),
);

const longName = joined('@', fc.constantFrom('a'.repeat(64), 'a'.repeat(65)), fc.constant('b.com'));
const anyAddress = mostly(
  fc.oneof(fc.emailAddress(), longName),
  fc.constantFrom(
    'a@b',
    'a..b@example.com',
    'a@example.com.',
    'A@Example.COM',
    'a@ex_ample.com',
    'a@b.XN--P1AI',
  ),
);

const anyJson = mostly(
  fc.constantFrom<unknown>({ id: 'd', paid: [1.5, null] }, 'x', [[]], true),
  fc.oneof(
    fc.dictionary(fc.constantFrom('', 'constructor', 'x'.repeat(256)), fc.constant(1)),
    fc.constantFrom<unknown>(1e21, 0.1 + 0.2, '\ud800'),
    fc.constantFrom(29, 35).map((levels) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))),
  ),
);

/** What is a message of a record, or nearly so. */
export const anyRecordMessage = fc
  .record({
    version: mostly(fc.integer({ min: 1 }), fc.constantFrom(0, 1.5, 1e15)),
    send: fc.option(fc.boolean(), { nil: undefined }),
    isOffer: fc.boolean(),
    payment_request: fc.record({
      id: prefixed('ptr_', opaque),
      worker: prefixed('wr_', opaque),
      amount: mostly(fc.constantFrom('0.10', '1250.00'), fc.constantFrom('00.10', '1.0', '.10')),
      currency: mostly(fc.constant('USD'), fc.constant('usd')),
      status: fc.constantFrom('draft', 'pending', 'rejected', 'paid', 'cancelled'),
      reference: anyText,
      note: anyText,
      period: fc.record({ starts: anyDate, ends: anyDate }),
      documents: fc.array(anyJson, { maxLength: 2 }),
      payment: mostly(fc.constantFrom(null, {}), anyJson),
      created: anyTime,
    }),
    offer: fc.record({
      id: prefixed('ofr_', opaque),
      recipient_email: anyAddress,
      status: fc.constantFrom('draft', 'sent'),
      created: anyTime,
    }),
  })
  .map(({ isOffer, payment_request, offer, ...message }) => ({
    workspace: 'wsp_1',
    ...message,
    ...(isOffer ? { offer } : { payment_request }),
  }));
