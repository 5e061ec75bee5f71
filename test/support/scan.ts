import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { documents, table } from '../../functions/store/client.ts';

/** Every item of the table. */
export const scan = async (): Promise<Record<string, unknown>[]> => {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client: documents }, { TableName: table() })) {
    items.push(...Items);
  }
  return items;
};
