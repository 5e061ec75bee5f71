import type { Act } from '../../functions/domain/author.ts';
import { type Item, scan } from './table/scan.ts';

/**
 * The items whose events were made since a time (ISO 8601 in UTC), each as it was then: as it was
 * created, and as it is now.
 */
export async function* eventfulItems(since: string): AsyncGenerator<Item> {
  const items = scan({
    FilterExpression:
      '#type IN (:approval, :sandbox, :delivery) AND (#created >= :since OR #updated >= :since OR imported.#at >= :since)',
    ExpressionAttributeNames: {
      '#type': 'type',
      '#created': 'created',
      '#updated': 'updated',
      '#at': 'at',
    },
    ExpressionAttributeValues: {
      ':approval': 'APPROVAL',
      ':sandbox': 'SANDBOX',
      ':delivery': 'DELIVERY',
      ':since': since,
    },
  });
  for await (const item of items) {
    if (item.type === 'APPROVAL') {
      yield item;
      continue;
    }
    const { reason: _, ...rest } = item;
    const { created, updated, status } = item;
    const first = item.type === 'SANDBOX' ? 'provisioning' : 'queued';
    const isFirst = status === first;
    // Fixtures of sandboxes were never anything else: nothing has happened to them.
    if (!isFirst && created === updated) continue;
    const importedAt = String((item.imported as Act | undefined)?.at ?? '');
    // What had ended before its import happened in another table.
    if (!isFirst && String(updated) <= importedAt) continue;
    // An import of what still waits made its event again.
    if (String(created) >= since || importedAt >= since) {
      yield { ...rest, status: first, updated: created };
    }
    if (!isFirst && status !== 'sending' && String(updated) >= since) yield item;
  }
}
