import { expect, test } from 'vitest';
import { compilePattern } from '../event-bridge/event-pattern.ts';

const insert = {
  eventName: 'INSERT',
  dynamodb: { NewImage: { type: { S: 'delivery' }, attempts: { N: '1' } } },
  tags: ['live', 'mail'],
  ended: null,
};

test.each<[string, object, boolean]>([
  ['an exact value', { eventName: ['INSERT'] }, true],
  ['another value', { eventName: ['REMOVE'] }, false],
  ['only one of several members', { eventName: ['INSERT'], ended: ['never'] }, false],
  ['nested members', { dynamodb: { NewImage: { type: { S: ['delivery'] } } } }, true],
  ['a number given as text', { dynamodb: { NewImage: { attempts: { N: [1] } } } }, false],
  ['a null where the member is absent', { missing: [null] }, false],
  ['an inherited member', { toString: [{ exists: true }] }, false],
  ['absence', { dynamodb: { OldImage: { type: { S: [{ exists: false }] } } } }, true],
  ['existence of an object, not a leaf', { dynamodb: [{ exists: true }] }, false],
  ['an element of a list', { tags: ['mail'] }, true],
  ['everything', {}, true],
])('a pattern matches %s: %j is %s', (_, pattern, expected) => {
  expect(compilePattern(pattern)(insert)).toBe(expected);
});

test.each<[object, RegExp]>([
  [{ a: { b: [{ suffix: 'x' }] } }, /'suffix' at '\/a\/b'/],
  [{ $or: [{ a: ['x'] }] }, /'\$or' at '\/'/],
  [{ a: [{ exists: true, prefix: 'x' }] }, /'prefix' at '\/a'/],
  [{ a: 'x' }, /the value "x" at '\/a'/],
])('a pattern is rejected when it is not supported: %j', (pattern, message) => {
  expect(() => compilePattern(pattern)).toThrow(message);
});
