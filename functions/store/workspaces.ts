import type { Workspace } from '../domain/workspace.ts';
import { keys } from './keys.ts';
import { readItem } from './read.ts';

export const workspaceItem = (workspace: Workspace) => ({
  ...keys.workspace(workspace.id),
  type: 'WORKSPACE',
  ...workspace,
});

/** The name of the account that owns a workspace. */
export const findCompany = async (workspace: string): Promise<string | undefined> => {
  const owned = await readItem(keys.workspace(workspace));
  const account = owned && (await readItem(keys.account(owned.account)));
  return account?.name;
};
