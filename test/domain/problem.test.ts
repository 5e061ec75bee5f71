import { expect, test } from 'vitest';
import { bodyLimitBytes } from '../../functions/domain/body-limit.ts';
import { type ProblemCode, problemHeaders, problems } from '../../functions/domain/problem.ts';

test.each(Object.keys(problems) as ProblemCode[])(
  '%s says when to try again if that helps',
  (each) => {
    const waits = [429, 503].includes(problems[each].status) || each === 'idempotency_key_in_use';
    expect(problemHeaders(each)).toEqual({
      'Content-Type': 'application/problem+json',
      ...(waits && { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) }),
    });
  },
);

// Not written with the number: a title that is computed would keep all problems in bundles that
// throw none.
test('the title of body_too_large has the limit', () => {
  expect(problems.body_too_large.title).toContain(` ${bodyLimitBytes / 1024} KiB`);
});
