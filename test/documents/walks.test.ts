import { describe, expect, test } from 'vitest';
import { isFollowed, renumberedText, walks } from '../contributing/walks.ts';

describe.skipIf(walks.some(isFollowed))('in a tree that no walk has changed', () => {
  test.each(walks)('the hunks of $path have the line numbers of the files', async (walk) => {
    // With -u it writes the page.
    await expect(renumberedText(walk)).toMatchFileSnapshot(`../../${walk.path}`);
  });
});
