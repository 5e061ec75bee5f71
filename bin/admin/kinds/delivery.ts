import * as z from 'zod/mini';
import { Timestamp, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { DeliveryAttempt } from '../../../functions/domain/offer.ts';
import { endTimes } from '../../../functions/store/attributes.ts';
import { keys } from '../../../functions/store/keys.ts';
import { changed, type Item, type Kind, made, overdue } from './kind.ts';

const ends = Object.values(endTimes);
const changing = ['status', 'reason', 'message_id', 'lease_ends', 'waits', 'updated', ...ends];
const beginnings = ['queued', 'sending'];

/** Statuses whose reason is a part of their event. */
const reasoned: readonly unknown[] = ['failed', 'bounced'];

/** Whether an item is an attempt that is still to be mailed, or being mailed. */
export const isWaiting = ({ type, status }: Item): boolean =>
  type === delivery.type && beginnings.includes(String(status));

/**
 * An attempt in each status that another one has followed. The reason of that status is not kept.
 */
const earlierEnds = (attempt: Item): Item[] =>
  Object.entries(endTimes)
    .filter(([status, time]) => status !== attempt.status && attempt[time])
    .map(([status, time]) => ({
      ...attempt,
      status,
      reason: undefined,
      updated: attempt[time],
    }));

/** A delivery attempt of an offer. */
export const delivery: Kind = {
  type: 'DELIVERY',
  noun: 'delivery attempt',
  shape: {
    workspace: WorkspaceId,
    ...DeliveryAttempt.shape,
    message_id: z.optional(z.string()),
    lease_ends: z.optional(z.int()),
    waits: z.optional(z.int()),
    ...Object.fromEntries(ends.map((end) => [end, z.optional(Timestamp)])),
  },
  key: ({ offer, id }) => keys.delivery(String(offer), String(id)),
  rank: 1,
  changing,
  beginnings,
  need: (item) => {
    const id = String(item.offer);
    return {
      key: keys.offer(id),
      member: 'offer',
      what: `offer ${id}`,
      begun: true,
      code: 'delivery_without_offer',
      detail: `${item.id} is a delivery attempt of ${id}, which does not exist.`,
    };
  },
  counter: ({ offer }) => keys.offer(String(offer)),
  // Its consumer works on another table, as if it had died: the attempt is sent again.
  imported: ({ lease_ends: _, ...attempt }) => ({
    ...attempt,
    status: attempt.status === 'sending' ? 'queued' : attempt.status,
  }),
  later: (item, other) => {
    if (isWaiting(other)) return item;
    if (!isWaiting(item) && String(item.updated) >= String(other.updated)) return item;
    return { ...item, ...Object.fromEntries(changing.map((name) => [name, other[name]])) };
  },
  // If nobody has ended it, its message would mail it again.
  restored: (item, { at }) => ({
    ...(isWaiting(item) && {
      status: 'failed',
      reason: 'restored',
      [endTimes.failed]: at,
      updated: at,
    }),
    lease_ends: undefined,
  }),
  isEffect: true,
  lost: ({ id, offer, status }) =>
    `The delivery attempt ${id} of ${offer} (${status}) is lost. Its mail may have been sent: ask the recipient before you send the offer again. Its events stay published.`,
  subject: ({ offer }) => String(offer),
  redaction: {
    // Nothing may be mailed to the address that the offer has now.
    after: (item) => {
      if (!isWaiting(item)) return item;
      const { lease_ends: _, ...rest } = item;
      return { ...rest, status: 'failed', reason: 'redacted' };
    },
    onlyCopies: true,
  },
  trail: (item) => {
    const { offer, status, message_id } = item;
    const queued = made(item, 'attempt queued', { offer });
    if (status === 'queued') return [queued];
    const came = [...earlierEnds(item), item].map((each) => ({
      ...changed(each, `attempt ${each.status}`, { message_id }),
      reason: each.reason,
    }));
    return [queued, ...came];
  },
  published: (item) => {
    const { reason: _, ...rest } = item;
    const { status, created, updated } = item;
    // The one of a new sandbox has never changed, so it has no events.
    if (status !== 'queued' && created === updated) return [];
    return [
      { ...rest, status: 'queued', updated: created },
      ...earlierEnds(item).filter((earlier) => !reasoned.includes(earlier.status)),
      ...(isWaiting(item) ? [] : [item]),
    ];
  },
  invariants: {
    delivery_without_offer: 'a delivery attempt without its offer',
    stuck_delivery:
      'a delivery attempt queued or sending for more than an hour, or since its import',
  },
  inspect: (item, _, now) =>
    isWaiting(item) ? overdue('stuck_delivery', item, item.updated, 60 * 60_000, now) : [],
};
