import type { Account } from '../../../functions/domain/account.ts';
import { Workspace } from '../../../functions/domain/workspace.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { AdminError, required } from '../../command-line/admin-error.ts';
import { readPartition } from './scan.ts';

/** An account as an item. */
export const accountItem = (account: Account) => ({
  ...keys.account(account.id),
  type: 'ACCOUNT',
  ...account,
});

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

/** The workspace, or undefined. */
export const findWorkspace = async (id: string): Promise<Workspace | undefined> => {
  const item = await read(keys.workspace(id));
  return item && Workspace.parse(item);
};

/** @throws AdminError when there is none */
export const requireWorkspace = async (id: string): Promise<Workspace> =>
  required(await findWorkspace(id), `There is no workspace ${id}.`);
