import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Author, authorIn, newAuthor } from '../../functions/domain/author.ts';
import { character } from '../support/arbitraries.ts';

const actor = `tok_${'0'.repeat(26)}`;

test('whatever request id a client chooses, it can be stored, read and put into a tag of SES', () => {
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 300 }), (requestId) => {
      const author = newAuthor(actor, requestId);
      expect(authorIn({ author })).toEqual(author);
      expect(author.request).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
    }),
  );
});

test("API Gateway's own request ids stay as they are", () => {
  fc.assert(
    fc.property(fc.uuid(), (requestId) => {
      expect(newAuthor(actor, requestId).request).toBe(requestId);
    }),
  );
});

test.each(['tok_1', 'wfp_live_x', 'someone', 'operator:', ''])(
  '%j cannot be the actor of an author',
  (name) => {
    expect(Author.safeParse({ actor: name, request: 'r', version: 'v1' }).success).toBe(false);
  },
);
