import { STATUS_CODES } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bodyLimitBytes } from '../../functions/domain/body-limit.ts';
import {
  type Fault,
  faultCodes,
  Problem,
  type ProblemCode,
  problemDetails,
  problemHeaders,
  problems,
} from '../../functions/domain/problem.ts';

const codes = Object.keys(problems) as ProblemCode[];
const code = fc.constantFrom(...codes);
const faults: fc.Arbitrary<Fault[]> = fc.array(
  fc.record({ pointer: fc.string(), code: fc.constantFrom(...faultCodes), detail: fc.string() }),
);

describe.each(codes)('%s', (each) => {
  test('has a status of its kind and a title for people', () => {
    const { status, title } = problems[each];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(STATUS_CODES[status]).toBeDefined();
    expect(title).toMatch(/^[A-Z][^.]*$/);
  });

  test('says when to try again if that helps', () => {
    const waits = [429, 503].includes(problems[each].status) || each === 'idempotency_key_in_use';
    expect(problemHeaders(each)).toEqual({
      'Content-Type': 'application/problem+json',
      ...(waits && { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) }),
    });
  });
});

test('titles distinguish problems', () => {
  const titles = Object.values(problems).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

test('the details of a problem have the members of RFC 9457 and ours, in this order', () => {
  fc.assert(
    fc.property(code, fc.string(), fc.uuid(), faults, (each, detail, requestId, all) => {
      const details = problemDetails(each, detail, requestId, all);
      expect(Object.entries(details)).toEqual([
        ['type', `urn:workforce-payments:problem:${each}`],
        ['title', problems[each].title],
        ['status', problems[each].status],
        ['detail', detail],
        ['code', each],
        ['request_id', requestId],
        ...(all.length > 0 ? [['errors', all]] : []),
      ]);
    }),
  );
});

test('the type of a problem leads to its entry in the published reference, if there is one', () => {
  const { type } = problemDetails('offer_not_sent', '', '', [], 'https://docs.example.com/');
  expect(type).toBe('https://docs.example.com/problems/offer_not_sent.html');
});

test('a problem is an error that carries its code, its detail and its faults', () => {
  fc.assert(
    fc.property(code, fc.string(), faults, (each, detail, all) => {
      const problem = new Problem(each, detail, all);
      expect(problem).toBeInstanceOf(Error);
      expect(problem).toMatchObject({ name: 'Problem', code: each, message: detail, faults: all });
    }),
  );
});

// Not written with the number: a title that is computed would keep all problems in bundles that
// throw none.
test('the title of body_too_large has the limit', () => {
  expect(problems.body_too_large.title).toContain(` ${bodyLimitBytes / 1024} KiB`);
});
