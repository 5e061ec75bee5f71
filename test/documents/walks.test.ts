import { basename } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isFollowed, renumberedText, walks } from '../contributing/walks.ts';

describe.skipIf(walks.some(isFollowed))('in a tree that no walk has changed', () => {
  const named = walks.map((walk) => [basename(walk.path), walk] as const);

  test.each(named)('the hunks of %s have the line numbers of the files', async (_, walk) => {
    // With -u it writes the page.
    await expect(renumberedText(walk)).toMatchFileSnapshot(walk.path);
  });
});
