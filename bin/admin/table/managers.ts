import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { documents, table } from '../../../functions/store/client.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readPartition } from './scan.ts';

/** The managers of an account, in the order of their ids. */
export const listManagers = async (account: string): Promise<Manager[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items.filter(({ type }) => type === 'MANAGER').map((item) => Manager.parse(item));
};

/** From now on they cannot approve; their approvals stay. */
export const removeManager = async ({ account, id }: Manager): Promise<void> => {
  await documents.send(new DeleteCommand({ TableName: table(), Key: keys.manager(account, id) }));
};
