import { expect, test } from 'vitest';
import { isTestWorkspace } from '../../functions/domain/caller.ts';

test('a workspace is a test workspace by its prefix', () => {
  expect(['wsp_test_1', 'wsp_1', 'wsp_tester', 'x_wsp_test_1'].map(isTestWorkspace)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
