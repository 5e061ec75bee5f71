import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Account } from '../../../functions/domain/account.ts';
import { documents, table } from '../../../functions/store/client.ts';
import { keys } from '../../../functions/store/keys.ts';

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
export const accountExists = async (id: string): Promise<boolean> => {
  const { Count = 0 } = await documents.send(
    new QueryCommand({
      TableName: table(),
      ConsistentRead: true,
      Limit: 1,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': keys.account(id).pk },
    }),
  );
  return Count > 0;
};
