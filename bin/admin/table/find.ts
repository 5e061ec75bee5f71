import type { Workspace } from '../../../functions/domain/workspace.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { accountExists } from './accounts.ts';
import { findWorkspace } from './workspaces.ts';

/** @throws AdminError when there is none */
export const requireWorkspace = async (id: string): Promise<Workspace> => {
  const workspace = await findWorkspace(id);
  if (!workspace) throw new AdminError(`There is no workspace ${id}.`);
  return workspace;
};

/** @throws AdminError when there is none */
export const requireAccount = async (id: string): Promise<void> => {
  if (!(await accountExists(id))) throw new AdminError(`There is no account ${id}.`);
};
