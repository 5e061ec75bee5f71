import { type Author, authorIn } from '../../../functions/domain/author.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { table } from '../../../functions/store/client.ts';
import { commit, create } from '../../../functions/store/commit.ts';
import { retry } from '../../../functions/store/conflict.ts';
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
 *
 * @returns whether this call removed it; one that was removed, or added again, since it was read
 * stays as it is
 */
export const removeManager = (manager: Manager, author: Author): Promise<boolean> =>
  retry(async () => {
    const { account, id, created } = manager;
    const item = await read(keys.manager(account, id));
    if (item?.created !== created) return false;
    const added = { ...authorIn(item), at: created };
    await commit([
      {
        Delete: {
          TableName: table(),
          Key: keys.manager(account, id),
          ConditionExpression: 'created = :created',
          ExpressionAttributeValues: { ':created': created },
        },
      },
      create(actItem({ what: 'manager removed', account, manager: id, added }, author)),
    ]);
    return true;
  }, 2000);

/** Whether an act of the account says that a manager was removed after it had been added. */
export const wasRemoved = (manager: Item, partition: readonly Item[]): boolean =>
  partition.some(
    (act) =>
      act.what === 'manager removed' &&
      act.manager === manager.id &&
      String(act.created) >= String(manager.created),
  );
