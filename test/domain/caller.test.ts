import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isTestWorkspace, mayCall } from '../../functions/domain/caller.ts';
import { Problem } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { caller } from '../support/arbitraries.ts';

const route = fc.constantFrom<Route>(...Object.values(routes));

const refusal = (run: () => void): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as Problem).code;
  }
};

test('a route is for those who have its scope, and some routes for live workspaces alone', () => {
  fc.assert(
    fc.property(caller, route, (who, to) => {
      const scoped = who.scopes.split(' ').includes(to.scope);
      const elsewhere = to.workspaces === 'live' && who.workspace.startsWith('wsp_test_');
      const expected = scoped
        ? elsewhere
          ? 'live_workspace_required'
          : undefined
        : 'insufficient_scope';
      expect(refusal(() => mayCall(who, to))).toBe(expected);
    }),
  );
});

test('a scope that only looks like it is another one', () => {
  fc.assert(
    fc.property(caller, route, (who, to) => {
      const looksLike = [`${to.scope}x`, `x${to.scope}`, to.scope.slice(0, -1), `${to.scope},`];
      const scopes = [...looksLike, to.scope.toUpperCase()].join(' ');
      expect(refusal(() => mayCall({ ...who, scopes }, to))).toBe('insufficient_scope');
    }),
  );
});

test('the refusal names the scope that is needed', () => {
  const who = { workspace: 'wsp_1', account: 'acc_1', scopes: '' };
  for (const to of Object.values(routes)) {
    expect(() => mayCall(who, to)).toThrow(Problem);
    expect(() => mayCall(who, to)).toThrow(to.scope);
  }
});

test('a workspace is a test workspace by its prefix', () => {
  expect(['wsp_test_1', 'wsp_1', 'wsp_tester', 'x_wsp_test_1'].map(isTestWorkspace)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
