import type { Act, Author } from '../../../functions/domain/author.ts';
import type { Item } from '../../../functions/domain/item.ts';
import type { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { managerItem } from '../../../functions/store/managers.ts';
import { readPartition } from './scan.ts';
import { createItem, rewrite } from './write.ts';

/** The managers of an account who were not removed, in the order of their ids. */
export const listManagers = async (account: string): Promise<Item[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items.filter(({ type, removed }) => type === 'MANAGER' && !removed);
};

/**
 * Adds a manager, or adds one again who was removed.
 *
 * @returns whether this call added it
 */
export const addManager = async (
  { account, id }: Pick<Manager, 'account' | 'id'>,
  author: Author,
): Promise<boolean> => {
  const at = new Date().toISOString();
  const there = await createItem({ ...managerItem({ id, account, created: at }), author });
  if (!there) return true;
  const { removed, ...rest } = there;
  if (!removed) return false;
  const after = { ...rest, added: { ...author, at } };
  // Another command has added or removed it meanwhile.
  return (await rewrite(there, after)) || addManager({ account, id }, author);
};

/**
 * Removes a manager, who can then no longer approve. The item and the approvals stay.
 *
 * @returns whether this call removed it; one that was removed, or added again, since it was read
 * stays as it is
 */
export const removeManager = (item: Item, removed: Act): Promise<boolean> =>
  rewrite({ added: undefined, ...item }, { ...item, removed });
