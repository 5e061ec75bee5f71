import { routes } from '../../../functions/domain/routes.ts';
import { requireProblem, requireSuccess } from '../call.ts';
import { type Check, requireWorld } from '../check.ts';
import { eventually, expectEqual } from '../expect.ts';
import { Skipped } from '../failure.ts';
import { operations, sandboxesPath } from '../operations.ts';
import { newToken, revoke } from '../world.ts';

/** How long API Gateway caches an authorizer's answer, and a while for one that is on its way. */
const cacheMs = 60_000 + 15_000;

/** A token that is revoked while API Gateway has cached that it is valid. */
export const cachedRevocation: Check = {
  name: 'revoked-token-cached',
  proves: 'a token that is revoked while in use ends with the cache time, 60 s',
  run: async (context) => {
    const { call, full } = context;
    const world = requireWorld(context);
    if (!full) throw new Skipped('It takes a minute: add --full.');
    const token = await newToken(world, world.other);
    requireSuccess(await call('GET', sandboxesPath, { token }), 200);
    await revoke(world, token);
    const startedMs = Date.now();
    const last = await eventually('A revoked token still works', cacheMs, async () => {
      const answer = await call('GET', sandboxesPath, { token });
      return answer.status === 200 ? undefined : answer;
    });
    requireProblem(last, 'unauthenticated');
    return `${Math.round((Date.now() - startedMs) / 1000)} s`;
  },
};

/** What a token allows. */
export const tokens: readonly Check[] = [
  {
    name: 'revoked-token',
    proves: 'a revoked or expired token is refused',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const revoked = await newToken(world, world.live);
      await revoke(world, revoked);
      const expired = await newToken(world, world.live, { expires_at: '2020-01-01T00:00:00.000Z' });
      for (const token of [revoked, expired]) {
        requireProblem(await call('GET', sandboxesPath, { token }), 'unauthenticated');
      }
      return undefined;
    },
  },
  {
    name: 'insufficient_scope',
    proves: 'a token without the scope of an operation is refused',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const all = Object.values(routes).map(({ scope }) => scope);
      for (const { route, path, sent } of operations) {
        const scopes = all.filter((scope) => scope !== route.scope);
        const token = await newToken(world, world.live, { scopes });
        requireProblem(await call(route.method, path, { ...sent, token }), 'insufficient_scope');
      }
      return undefined;
    },
  },
  {
    name: 'live_workspace_required',
    proves: 'a test workspace cannot create or list sandboxes',
    run: async (context) => {
      const { call } = context;
      const { token } = requireWorld(context).test;
      for (const { route, path, sent } of operations) {
        if (route.path !== sandboxesPath) continue;
        requireProblem(
          await call(route.method, path, { ...sent, token }),
          'live_workspace_required',
        );
      }
      return undefined;
    },
  },
  {
    name: 'request-id',
    proves: 'every request has an id of its own',
    run: async ({ call, token }) => {
      const answers = await Promise.all([
        call('GET', sandboxesPath, { token }),
        call('GET', sandboxesPath, { token }),
        call('GET', sandboxesPath),
      ]);
      const ids = new Set(answers.map(({ headers }) => headers.get('request-id')));
      expectEqual('Different request ids', ids.size, answers.length);
      return undefined;
    },
  },
];
