import type { Author } from '../../../functions/domain/author.ts';
import type { Event } from '../../../functions/domain/events.ts';
import { keyLifetimeS } from '../../../functions/idempotency/intent.ts';
import { keys } from '../../../functions/store/keys.ts';
import { keyOf, nameOf, readAll } from '../table/bulk.ts';
import { isCompanion } from '../table/companions.ts';
import { needOf, unreadableResult } from '../table/needs.ts';
import type { Redact } from '../table/redactions.ts';
import { filterBy, type Item, scan } from '../table/scan.ts';
import type { Finding } from './findings.ts';

/** How far back from the restored second a transaction may be torn. */
export const tornMs = 5 * 60_000;

/** What the client or operator who made a lost item can do about it. */
const remedies: Readonly<Record<string, (item: Item) => string>> = {
  APPROVAL: ({ id, payment_request, approver }) =>
    `The approval ${id} of ${payment_request} by ${approver} is lost: approve the payment request again. Its event stays published.`,
  SANDBOX: ({ id, name }) =>
    `The sandbox ${id} (${name}) is lost with all that is in it: create it again. Its events stay published.`,
  DELIVERY: ({ id, offer, status }) =>
    `The delivery attempt ${id} of ${offer} (${status}) is lost. Its mail may have been sent: ask the recipient before you send the offer again. Its events stay published.`,
  CLAIM: ({ operation, key, workspace, ...claim }) =>
    `The effect of ${operation} by ${workspace} with the key ${JSON.stringify(key)}, ${needOf({ operation, ...claim })?.what}, is lost: send the request again.`,
  REDACTION: ({ id, ids, workspace }) =>
    `The redaction ${id} is lost: redact ${(ids as string[]).join(', ')} of ${workspace} again (redact --ids).`,
  TOKEN: ({ id, workspace }) => `The token ${id} of ${workspace} is lost: issue another one.`,
};

const others = ({ type, id }: Item) =>
  `The ${String(type).toLowerCase().replace('_', ' ')} ${id} is lost: create or import it again.`;

/** An item that the restored table does not have; of a claim the effect that it names. */
export const lost = (item: Item): Finding => ({
  finding: 'lost',
  ...((item.type === 'CLAIM' && needOf(item)?.key) || keyOf(item)),
  detail: (remedies[String(item.type)] ?? others)(item),
  request_id: (item.author as Partial<Author> | undefined)?.request,
  now: item,
});

/** The effects that events were published about and that are not in the table, redacted. */
export async function* lostEffects(
  events: AsyncIterable<readonly Event[]>,
  redact: Redact,
): AsyncGenerator<Finding> {
  const seen = new Set<string>();
  for await (const batch of events) {
    const effects = batch.map(effectOf).filter(({ id }) => !seen.has(String(id)));
    const there = await readAll(effects.map(keyOf));
    for (const [index, effect] of effects.entries()) {
      if (there[index] || seen.has(String(effect.id))) continue;
      seen.add(String(effect.id));
      yield lost(redact(effect));
    }
  }
}

/** The item that an event is about, as far as the event says. */
const effectOf = ({ data, workspace, request_id, actor, time }: Event): Item => {
  const made = { author: { request: request_id, actor }, created: time };
  if ('approval' in data) {
    const { approval, payment_request } = data;
    const key = keys.approval(payment_request.id, approval.id);
    return { ...key, type: 'APPROVAL', ...made, ...approval, payment_request: payment_request.id };
  }
  if ('offer' in data) {
    return { ...keys.delivery(data.offer, data.id), type: 'DELIVERY', ...made, ...data };
  }
  if ('ids' in data) {
    return {
      ...keys.redaction(workspace, data.id),
      type: 'REDACTION',
      ...made,
      ...data,
      workspace,
    };
  }
  return { ...keys.sandbox(data.workspace, data.id), type: 'SANDBOX', ...made, ...data };
};

/**
 * The effects of clients that no claim names, from the last minutes before the restored second on.
 * A keyless request leaves no claim; a torn transaction or a deletion may have lost it. An item
 * does not say which.
 */
export async function* unclaimedEffects(at: string): AsyncGenerator<Finding> {
  const torn = new Date(Date.parse(at) - tornMs);
  const effects = new Map<string, Item>();
  const claimed = new Set<string>();
  const expression = `(#type IN (:approval, :sandbox, :delivery) AND #created >= :torn
      AND begins_with(author.actor, :token))
      OR (#type = :claim AND #expires >= :tornExpires)`;
  const found = scan(
    filterBy(expression, {
      approval: 'APPROVAL',
      sandbox: 'SANDBOX',
      delivery: 'DELIVERY',
      claim: 'CLAIM',
      token: 'tok_',
      torn: torn.toISOString(),
      tornExpires: Math.floor(torn.getTime() / 1000) + keyLifetimeS,
    }),
  );
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
