import { Manager } from '../domain/payment-request.ts';
import { keys } from './keys.ts';
import { readItem } from './read.ts';

export const managerItem = (manager: Manager) => ({
  ...keys.manager(manager.account, manager.id),
  type: 'MANAGER',
  ...manager,
});

/**
 * The manager of this account; undefined if there is none, or it was removed. Read consistently:
 * one just removed is not found.
 */
export const findManager = async (account: string, id: string): Promise<Manager | undefined> => {
  const item = await readItem(keys.manager(account, id));
  return item && !item.removed ? Manager.parse(item) : undefined;
};
