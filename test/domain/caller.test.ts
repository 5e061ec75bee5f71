import { expect, test } from 'vitest';
import { isTestWorkspace } from '../../functions/domain/caller.ts';

test('a workspace is a test workspace by its prefix', () => {
  const workspaces = ['wsp_test_1', 'wsp_1', 'wsp_tester', 'x_wsp_test_1'];
  expect(workspaces.filter(isTestWorkspace)).toEqual(['wsp_test_1']);
});
