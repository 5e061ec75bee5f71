import { type Author, authorIn } from '../../../functions/domain/author.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { table } from '../../../functions/store/client.ts';
import { commit, create } from '../../../functions/store/commit.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { actItem } from './acts.ts';
import { readPartition } from './scan.ts';

/** The managers of an account, in the order of their ids. */
export const listManagers = async (account: string): Promise<Manager[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items.filter(({ type }) => type === 'MANAGER').map((item) => Manager.parse(item));
};

/** They can no longer approve. Their approvals stay, and so does who added and removed them. */
export const removeManager = async (manager: Manager, author: Author): Promise<void> => {
  const { account, id, created } = manager;
  const addedBy = authorIn((await read(keys.manager(account, id))) ?? {});
  const added = addedBy && { ...addedBy, at: created };
  await commit([
    { Delete: { TableName: table(), Key: keys.manager(account, id) } },
    create(actItem({ what: 'manager removed', account, manager: id, added }, author)),
  ]);
};
