import type { Act } from '../../../functions/domain/author.ts';
import { fixtures, Sandbox } from '../../../functions/domain/sandbox.ts';
import { endTimes } from '../../../functions/store/attributes.ts';
import { fixtureItems } from '../../../functions/store/sandboxes.ts';
import type { Item } from '../table/scan.ts';
import { isBeginning } from '../table/statuses.ts';

/**
 * An item as a restore brings it back. Every item that it writes with data of another table, or
 * keeps in a table that was lost, goes through here.
 *
 * - A delivery attempt that nobody has ended has failed: its message would mail it again.
 * - A token is revoked, because it may have been revoked since.
 * - A sandbox is ready: its message would be sent again. `companionsOf` has its test workspace.
 *
 * The member `imported` says who brought it back. Its `restored` is the time of the state that was
 * brought back: by it `publish-events` recognises that this state is no news.
 *
 * @param now what stands in its place; what it says of a revocation is known
 */
export const restoredItem = ({ lease_ends: _, ...item }: Item, by: Act, now?: Item): Item => {
  const { type, updated, created } = item;
  const isWaiting = isBeginning(item);
  const members = {
    ...(type === 'TOKEN' && { revoked: item.revoked ?? (now ? now.revoked : by) }),
    ...(type === 'SANDBOX' && isWaiting && { status: 'ready', updated: by.at }),
    ...(type === 'DELIVERY' &&
      isWaiting && {
        status: 'failed',
        reason: 'restored',
        [endTimes.failed]: by.at,
        updated: by.at,
      }),
  };
  const restored = members.updated ?? updated ?? created;
  return { ...item, ...members, imported: { ...by, restored } };
};

/** What a ready sandbox comes with. */
export const companionsOf = (sandbox: Item, by: Act): Item[] => {
  const { author } = sandbox;
  const items = fixtureItems(fixtures(Sandbox.parse(sandbox), String(sandbox.updated)));
  return items.map((item) => restoredItem({ ...item, author }, by));
};
