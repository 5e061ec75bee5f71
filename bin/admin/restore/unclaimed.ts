import { keyLifetimeS } from '../../../functions/idempotency/intent.ts';
import { keyOf, nameOf } from '../table/bulk.ts';
import { needOf, unreadableResult } from '../table/needs.ts';
import { type Item, scan } from '../table/scan.ts';
import { isCompanion } from './brought-back.ts';
import type { Finding } from './findings.ts';
import { tornMs } from './plan.ts';

/**
 * The effects of clients that no claim names, from the last minutes before the restored second on.
 * A keyless request leaves no claim; a torn transaction or a deletion may have lost it. An item
 * does not say which.
 */
export async function* unclaimedEffects(at: string): AsyncGenerator<Finding> {
  const torn = new Date(Date.parse(at) - tornMs);
  const effects = new Map<string, Item>();
  const claimed = new Set<string>();
  const found = scan({
    FilterExpression: `(#type IN (:approval, :sandbox, :delivery) AND #created >= :torn
      AND begins_with(author.actor, :token))
      OR (#type = :claim AND #expires >= :tornExpires)`,
    ExpressionAttributeNames: { '#type': 'type', '#created': 'created', '#expires': 'expires' },
    ExpressionAttributeValues: {
      ':approval': 'APPROVAL',
      ':sandbox': 'SANDBOX',
      ':delivery': 'DELIVERY',
      ':claim': 'CLAIM',
      ':token': 'tok_',
      ':torn': torn.toISOString(),
      ':tornExpires': Math.floor(torn.getTime() / 1000) + keyLifetimeS,
    },
  });
  for await (const item of found) {
    if (item.type !== 'CLAIM') effects.set(nameOf(item), item);
    else if (!unreadableResult(item)) claimed.add(nameOf(needOf(item)?.key ?? {}));
  }
  for (const [name, item] of effects) {
    if (claimed.has(name) || isCompanion(item)) continue;
    const { request } = item.author as { readonly request: string };
    const detail = `${item.id} was made by the request ${request} and has no claim. If that request had an Idempotency-Key, sending it again may have a second effect.`;
    yield { finding: 'effect_without_claim', ...keyOf(item), detail, request_id: request };
  }
}
