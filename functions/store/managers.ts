import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { Manager } from '../domain/payment-request.ts';
import { documents, table } from './client.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';
import { readPartition } from './scan.ts';

export const managerItem = (manager: Manager) => ({
  ...keys.manager(manager.account, manager.id),
  type: 'MANAGER',
  ...manager,
});

/** The manager of this account, or undefined. Read consistently: one just removed is not found. */
export const findManager = async (account: string, id: string): Promise<Manager | undefined> => {
  const item = await read(keys.manager(account, id));
  return item && Manager.parse(item);
};

/** The managers of an account, in the order of their ids. */
export const listManagers = async (account: string): Promise<Manager[]> => {
  const items = await readPartition(keys.account(account).pk);
  return items.filter(({ type }) => type === 'MANAGER').map((item) => Manager.parse(item));
};

/** From now on they cannot approve; what they approved stays. */
export const removeManager = async ({ account, id }: Manager): Promise<void> => {
  await documents.send(new DeleteCommand({ TableName: table(), Key: keys.manager(account, id) }));
};
