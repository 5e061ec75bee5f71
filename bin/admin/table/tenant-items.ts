import { Workspace } from '../../../functions/domain/workspace.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { AdminError, required } from '../../command-line/admin-error.ts';
import { readPartition } from './scan.ts';

/**
 * Whether anything belongs to this account: its own record or a manager. A sandbox's account has a
 * manager and no record.
 */
export const accountExists = async (id: string): Promise<boolean> =>
  (await readPartition(keys.account(id).pk)).length > 0;

/** @throws AdminError when there is none */
export const requireAccount = async (id: string): Promise<void> => {
  if (!(await accountExists(id))) throw new AdminError(`There is no account ${id}.`);
};

/** @throws AdminError when there is none */
export const requireWorkspace = async (id: string): Promise<Workspace> =>
  Workspace.parse(required(await readItem(keys.workspace(id)), `There is no workspace ${id}.`));
