import { type Author, authorIn } from '../../../functions/domain/author.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { table } from '../../../functions/store/client.ts';
import { commit, create } from '../../../functions/store/commit.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { actItem } from './acts.ts';
import { type Item, readPartition } from './scan.ts';

/** The managers of an account, in the order of their ids. */
export const listManagers = async (account: string): Promise<Manager[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items.filter(({ type }) => type === 'MANAGER').map((item) => Manager.parse(item));
};

/**
 * Removes a manager, who can then no longer approve. The approvals stay, and so does the record of
 * who added and removed the manager.
 */
export const removeManager = async (manager: Manager, author: Author): Promise<void> => {
  const { account, id, created } = manager;
  const addedBy = authorIn((await read(keys.manager(account, id))) ?? {});
  const added = addedBy && { ...addedBy, at: created };
  await commit([
    { Delete: { TableName: table(), Key: keys.manager(account, id) } },
    create(actItem({ what: 'manager removed', account, manager: id, added }, author)),
  ]);
};

/** Whether an act of the account says that a manager was removed after it had been added. */
export const wasRemoved = (manager: Item, partition: readonly Item[]): boolean =>
  partition.some(
    (act) =>
      act.what === 'manager removed' &&
      act.manager === manager.id &&
      String(act.created) >= String(manager.created),
  );
