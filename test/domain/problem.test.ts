import { STATUS_CODES } from 'node:http';
import { describe, expect, test } from 'vitest';
import { bodyLimitBytes } from '../../functions/domain/body-limit.ts';
import { type ProblemCode, problemHeaders, problems } from '../../functions/domain/problem.ts';

const codes = Object.keys(problems) as ProblemCode[];
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

test('no two problems have the same title', () => {
  const titles = Object.values(problems).map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
});

// Not written with the number: a title that is computed would keep all problems in bundles that
// throw none.
test('the title of body_too_large has the limit', () => {
  expect(problems.body_too_large.title).toContain(` ${bodyLimitBytes / 1024} KiB`);
});
