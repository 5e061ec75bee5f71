import * as z from 'zod/mini';
import { TokenId } from './identifiers.ts';
import { Problem } from './problem.ts';
import type { Route } from './routes.ts';

/**
 * The caller, as the authorizer read it from the token. API Gateway passes an authorizer's context
 * on as strings only, so the scopes are one string with spaces between, as in OAuth 2.0.
 */
export const Caller = z.object({
  workspace: z.string(),
  account: z.string(),
  scopes: z.string(),
  token_id: TokenId,
});
export type Caller = z.infer<typeof Caller>;

/** The contract gives the workspaces of sandboxes a prefix of their own. */
export const isTestWorkspace = (workspace: string) => workspace.startsWith('wsp_test_');

/** @throws Problem `insufficient_scope`, `live_workspace_required` */
export const requireAccess = (caller: Pick<Caller, 'workspace' | 'scopes'>, route: Route): void => {
  if (!caller.scopes.split(' ').includes(route.scope)) {
    throw new Problem('insufficient_scope', `The access token needs the scope ${route.scope}.`);
  }
  if (route.workspaces === 'live' && isTestWorkspace(caller.workspace)) {
    throw new Problem(
      'live_workspace_required',
      'This access token belongs to a test workspace. Only live workspaces create and list sandboxes.',
    );
  }
};
