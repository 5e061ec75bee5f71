import { routes } from './domain/routes.ts';
import { ListSandboxes } from './domain/sandbox.ts';
import { sealCursor } from './http/cursor.ts';
import { endpoint } from './http/endpoint.ts';
import { requireAnchor, startOf } from './http/pages.ts';
import { querySandboxes } from './store/sandboxes.ts';

/** The sandboxes of the caller's live workspace, newest first, with a cursor if there are more. */
export const handler = endpoint(routes.listSandboxes, {
  query: ListSandboxes,
  load: async ({ query, caller: { workspace } }) => {
    const start = startOf(workspace, query);
    const [{ sandboxes, next }] = await Promise.all([
      querySandboxes(workspace, query.limit, start),
      requireAnchor(workspace, query),
    ]);
    return { sandboxes, ...(next && { cursor: sealCursor(workspace, next) }) };
  },
  decide: (_, page) => ({ response: page }),
});
