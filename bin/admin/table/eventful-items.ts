import type { Act } from '../../../functions/domain/author.ts';
import { kindOf, typesWith } from '../kinds/all.ts';
import type { Item } from '../kinds/kind.ts';
import { scan, typesFilter } from './scan.ts';

/**
 * The items whose events were made since a time (ISO 8601 in UTC), each as it was then: as it was
 * created, as it is now, and in the statuses between, but for those whose reason is not kept.
 */
export async function* eventfulItems(since: string): AsyncGenerator<Item> {
  const isRecent = '#created >= :since OR #updated >= :since';
  for await (const item of scan(typesFilter(typesWith('published'), isRecent, { since }))) {
    // Effects before an import were made in another table.
    const importedAt = (item.imported as Act | undefined)?.at ?? '';
    for (const state of kindOf(item)?.published?.(item) ?? []) {
      const time = String(state.updated ?? state.created);
      if (time >= since && time > importedAt) yield state;
    }
  }
}
