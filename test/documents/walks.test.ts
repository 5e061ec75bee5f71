import { expect, test } from 'vitest';
import { followedSection, renumberedPage } from '../contributing/walks.ts';

test('the hunks of CONTRIBUTING.md have the line numbers of the files', async ({ skip }) => {
  const followed = followedSection();
  skip(followed !== undefined, `This tree has "${followed}" already.`);
  // With -u it writes the page.
  await expect(renumberedPage()).toMatchFileSnapshot('../../CONTRIBUTING.md');
});
