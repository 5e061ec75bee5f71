import type { Author } from '../../../functions/domain/author.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { table } from '../../../functions/store/client.ts';
import { commit, create } from '../../../functions/store/commit.ts';
import { keys } from '../../../functions/store/keys.ts';
import { actItem } from './acts.ts';
import { readPartition } from './scan.ts';

/** The managers of an account, in the order of their ids. */
export const listManagers = async (account: string): Promise<Manager[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items.filter(({ type }) => type === 'MANAGER').map((item) => Manager.parse(item));
};

/** From now on they cannot approve; their approvals stay, and a record of who removed them. */
export const removeManager = ({ account, id }: Manager, author: Author): Promise<void> =>
  commit([
    { Delete: { TableName: table(), Key: keys.manager(account, id) } },
    create(actItem({ what: 'manager removed', account, manager: id }, author)),
  ]);
