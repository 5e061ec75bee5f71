import type { Act } from '../../functions/domain/author.ts';
import { type Item, scan } from './table/scan.ts';

/**
 * The items whose events were made since a time (ISO 8601 in UTC), each as it was then: as it was
 * created, and as it is now.
 */
export async function* eventfulItems(since: string): AsyncGenerator<Item> {
  const items = scan({
    FilterExpression:
      '#type IN (:approval, :sandbox, :delivery) AND (#created >= :since OR #updated >= :since)',
    ExpressionAttributeNames: {
      '#type': 'type',
      '#created': 'created',
      '#updated': 'updated',
    },
    ExpressionAttributeValues: {
      ':approval': 'APPROVAL',
      ':sandbox': 'SANDBOX',
      ':delivery': 'DELIVERY',
      ':since': since,
    },
  });
  for await (const item of items) {
    // What had happened before an import happened in another table.
    const importedAt = String((item.imported as Act | undefined)?.at ?? '');
    const isNew = (time: unknown) => String(time) >= since && String(time) > importedAt;
    const { created, updated, status } = item;
    if (item.type === 'APPROVAL') {
      if (isNew(created)) yield item;
      continue;
    }
    const { reason: _, ...rest } = item;
    const first = item.type === 'SANDBOX' ? 'provisioning' : 'queued';
    const isFirst = status === first;
    // Fixtures of sandboxes were never anything else: nothing has happened to them.
    if (!isFirst && created === updated) continue;
    if (isNew(created)) yield { ...rest, status: first, updated: created };
    if (!isFirst && status !== 'sending' && isNew(updated)) yield item;
  }
}
