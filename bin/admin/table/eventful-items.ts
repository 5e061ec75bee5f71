import type { Act } from '../../../functions/domain/author.ts';
import { filterBy, type Item, scan } from './scan.ts';
import { earlierEnds } from './statuses.ts';

/** Statuses whose reason is a part of their event. */
const reasoned: readonly unknown[] = ['failed', 'bounced'];

/**
 * The items whose events were made since a time (ISO 8601 in UTC), each as it was then: as it was
 * created, as it is now, and in the statuses between, but for those whose reason is not kept.
 */
export async function* eventfulItems(since: string): AsyncGenerator<Item> {
  const isRecent = '(#created >= :since OR #updated >= :since)';
  const items = scan(
    filterBy(`#type IN (:approval, :redaction, :sandbox, :delivery) AND ${isRecent}`, {
      approval: 'APPROVAL',
      redaction: 'REDACTION',
      sandbox: 'SANDBOX',
      delivery: 'DELIVERY',
      since,
    }),
  );
  for await (const item of items) {
    // Effects before an import were made in another table.
    const importedAt = String((item.imported as Act | undefined)?.at ?? '');
    const isNew = (time: unknown) => String(time) >= since && String(time) > importedAt;
    const { created, updated, status } = item;
    if (item.type === 'APPROVAL' || item.type === 'REDACTION') {
      if (isNew(created)) yield item;
      continue;
    }
    const { reason: _, ...rest } = item;
    const first = item.type === 'SANDBOX' ? 'provisioning' : 'queued';
    const isFirst = status === first;
    // Fixtures of sandboxes have never changed, so they have no events.
    if (!isFirst && created === updated) continue;
    if (isNew(created)) yield { ...rest, status: first, updated: created };
    for (const earlier of earlierEnds(item)) {
      if (!reasoned.includes(earlier.status) && isNew(earlier.updated)) yield earlier;
    }
    if (!isFirst && status !== 'sending' && isNew(updated)) yield item;
  }
}
