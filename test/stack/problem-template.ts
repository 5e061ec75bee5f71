import { expect } from 'vitest';
import { type ProblemCode, problems } from '../../functions/domain/problem.ts';

/** JSON whose one variable is the request's id, since nothing else is replaced in it. */
export const expectProblemTemplate = (text: string, code: ProblemCode) => {
  expect(JSON.parse(text)).toEqual({
    type: `urn:workforce-payments:problem:${code}`,
    title: problems[code].title,
    status: problems[code].status,
    detail: expect.stringMatching(/\.$/),
    code,
    request_id: '$context.requestId',
  });
  expect(text.replace('$context.requestId', '')).not.toMatch(/[$#]/);
};
