import { outbox } from '../../../functions/domain/outbox.ts';
import { type Item, scan } from './scan.ts';

/** The items that still wait for their message's effect, created before a time (ISO 8601, UTC). */
export const waitingItems = (before: string): AsyncGenerator<Item> => {
  const rows = Object.values(outbox);
  const conditions = rows.map(
    (_, index) => `(#type = :type${index} AND #status = :status${index})`,
  );
  const values = rows.flatMap(({ type, status }, index) => [
    [`:type${index}`, type],
    [`:status${index}`, status],
  ]);
  return scan({
    FilterExpression: `#created < :before AND (${conditions.join(' OR ')})`,
    ExpressionAttributeNames: { '#type': 'type', '#status': 'status', '#created': 'created' },
    ExpressionAttributeValues: { ...Object.fromEntries(values), ':before': before },
  });
};
