import { fixtures, Sandbox } from '../../../functions/domain/sandbox.ts';
import { keys } from '../../../functions/store/keys.ts';
import { fixtureItems } from '../../../functions/store/sandboxes.ts';
import { changed, type Item, type Kind, made, overdue } from './kind.ts';

const isWaiting = ({ status }: Item) => status === 'provisioning';

/** A sandbox of a live workspace. Its test workspace has items of its own. */
export const sandbox: Kind = {
  type: 'SANDBOX',
  noun: 'sandbox',
  shape: Sandbox.shape,
  key: ({ workspace, id }) => keys.sandbox(String(workspace), String(id)),
  rank: 1,
  changing: ['status', 'updated'],
  beginnings: ['provisioning'],
  need: (item) => {
    if (isWaiting(item)) return undefined;
    const id = String(item.sandbox_workspace);
    return {
      key: keys.workspace(id),
      member: 'sandbox_workspace',
      what: `workspace ${id}`,
      code: 'sandbox_without_workspace',
      detail: `${item.id} is ready, but there is no workspace ${id}.`,
    };
  },
  // Its message would be sent again. `companions` has its test workspace.
  restored: (item, by) => (isWaiting(item) ? { status: 'ready', updated: by.at } : {}),
  companions: ({ author, ...item }) =>
    fixtureItems(fixtures(Sandbox.parse(item), String(item.updated))).map((each) => ({
      ...each,
      author,
    })),
  isEffect: true,
  lost: ({ id, name }) =>
    `The sandbox ${id} (${name}) is lost with all that is in it: create it again. Its events stay published.`,
  trail: (item) => {
    const { workspace, status, sandbox_workspace } = item;
    const created = made(item, 'sandbox created', { workspace });
    return isWaiting(item)
      ? [created]
      : [created, changed(item, `sandbox ${status}`, { sandbox_workspace })];
  },
  published: (item) => {
    const { created, updated } = item;
    // One that has never changed was not provisioned here, so it has no events.
    if (!isWaiting(item) && created === updated) return [];
    const provisioning = { ...item, status: 'provisioning', updated: created };
    return [provisioning, ...(isWaiting(item) ? [] : [item])];
  },
  invariants: {
    stuck_sandbox:
      'a sandbox that has been provisioning for more than ten minutes, or since its import',
    sandbox_without_workspace: 'a ready sandbox without its test workspace',
    shared_test_workspace: 'a test workspace that sandboxes of two workspaces name',
  },
  exclusive: ({ workspace, sandbox_workspace }) => ({
    name: String(sandbox_workspace),
    holder: String(workspace),
    code: 'shared_test_workspace',
  }),
  inspect: (item, _, now) =>
    isWaiting(item) ? overdue('stuck_sandbox', item, item.created, 10 * 60_000, now) : [],
};
