import type { Author } from '../../../functions/domain/author.ts';
import { isCompanion, kindOf, needOf, typesWith } from '../kinds/all.ts';
import { claimedSince } from '../kinds/claim.ts';
import { type Item, keyOf, nameOf } from '../kinds/kind.ts';
import { filterBy, scan, typesFilter } from '../table/scan.ts';
import type { Finding } from './findings.ts';

/** How far back from the restored second a transaction may be torn. */
export const tornMs = 5 * 60_000;

/** An item that the restored table does not have; of a claim the effect that it names. */
export const lost = (item: Item): Finding => {
  const kind = kindOf(item);
  const { noun = String(item.type) } = kind ?? {};
  return {
    finding: 'lost',
    ...((kind?.isAnonymous && needOf(item)?.key) || keyOf(item)),
    detail: kind?.lost?.(item) ?? `The ${noun} ${item.id} is lost: create or import it again.`,
    request_id: (item.author as Partial<Author> | undefined)?.request,
    now: item,
  };
};

/**
 * The effects of clients that no claim names, from the last minutes before the restored second on.
 * A keyless request leaves no claim; a torn transaction or a deletion may have lost it. An item
 * does not say which.
 */
export async function* unclaimedEffects(at: string): AsyncGenerator<Finding> {
  const torn = new Date(Date.parse(at) - tornMs);
  const claimed = new Set<string>();
  const { expression, values } = claimedSince(torn);
  for await (const claim of scan(filterBy(expression, values))) {
    const need = needOf(claim);
    if (need) claimed.add(nameOf(need.key));
  }
  const isOfClient = '#created >= :torn AND begins_with(author.actor, :token)';
  const since = { torn: torn.toISOString(), token: 'tok_' };
  for await (const item of scan(typesFilter(typesWith('isEffect'), isOfClient, since))) {
    if (claimed.has(nameOf(item)) || isCompanion(item)) continue;
    const { request } = item.author as { readonly request: string };
    const detail = `${item.id} was made by the request ${request} and has no claim. If that request had an Idempotency-Key, sending it again may have a second effect.`;
    yield { finding: 'effect_without_claim', ...keyOf(item), detail, request_id: request };
  }
}
