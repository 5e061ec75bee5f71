import type { Act, Author } from '../../../functions/domain/author.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { managerItem } from '../../../functions/store/managers.ts';
import { manager } from '../kinds/manager.ts';
import { createAll, rewrite } from './bulk.ts';
import { readPartition } from './scan.ts';

/** The managers of an account who were not removed, in the order of their ids. */
export const listManagers = async (account: string): Promise<Manager[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items
    .filter(({ type, removed }) => type === manager.type && !removed)
    .map((item) => Manager.parse(item));
};

/** What decides whether a manager is one. */
const deciding = ['created', 'added', 'removed'];

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
  const item = { ...managerItem({ id, account, created: at }), author };
  const [creation] = await createAll([item]);
  if (creation?.result !== 'present') return creation?.result === 'created';
  const { removed, ...rest } = creation.before;
  if (!removed) return false;
  const after = { ...rest, added: { ...author, at } };
  // Another command has added or removed it meanwhile.
  return (await rewrite(creation.before, after, deciding)) || addManager({ account, id }, author);
};

/**
 * Removes a manager, who can then no longer approve. The item and the approvals stay.
 *
 * @returns whether this call removed it; one that was removed, or added again, since it was read
 * stays as it is
 */
export const removeManager = async (
  { account, id, created, added }: Manager,
  removed: Act,
): Promise<boolean> => {
  const before = { ...keys.manager(account, id), created, added };
  return rewrite(before, { ...before, removed }, deciding);
};
