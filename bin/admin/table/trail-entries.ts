import type { Act, Author } from '../../../functions/domain/author.ts';
import type { Item } from './scan.ts';
import { earlierEnds } from './statuses.ts';

/** An event in the history of an item: a request, or its result. */
export interface TrailEntry {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly what: string;
  /** The item that it happened to. */
  readonly id: string;
  /** None where the service itself continued the work of a request. */
  readonly actor?: string | undefined;
  readonly request?: string | undefined;
  readonly reason?: unknown;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The history of items, in order of time. */
export const entriesOf = (items: readonly Item[]): TrailEntry[] =>
  items
    .flatMap((item) => [...entriesOfItem(item), ...importOf(item)])
    .sort((one, other) => (one.time < other.time ? -1 : Number(one.time > other.time)));

const entriesOfItem = (item: Item): TrailEntry[] => {
  switch (item.type) {
    case 'APPROVAL': {
      const { payment_request, approver, reason } = item;
      return [{ ...made(item, 'approved', { payment_request, approver }), reason }];
    }
    case 'SANDBOX': {
      const { workspace, status, sandbox_workspace } = item;
      const created = made(item, 'sandbox created', { workspace });
      if (status === 'provisioning') return [created];
      return [created, changed(item, `sandbox ${status}`, { sandbox_workspace })];
    }
    case 'DELIVERY': {
      const { offer, status, message_id } = item;
      const queued = made(item, 'attempt queued', { offer });
      if (status === 'queued') return [queued];
      const came = [...earlierEnds(item), item].map((each) => ({
        ...changed(each, `attempt ${each.status}`, { message_id }),
        reason: each.reason,
      }));
      return [queued, ...came];
    }
    case 'TOKEN': {
      const { id, name, workspace, revoked } = item;
      const issued = made(item, 'token issued', { name, workspace });
      const ended = revoked ? [actOn(String(id), 'token revoked', revoked as Act)] : [];
      return [issued, ...ended];
    }
    case 'REDACTION':
      return [made(item, 'personal data redacted', { ids: item.ids })];
    case 'MANAGER':
      return [made(item, 'manager added', { account: item.account })];
    case 'ACT': {
      const { what, id: _, type: __, pk: ___, sk: ____, created, author, added, ...details } = item;
      const done = made(item, String(what), details);
      return added ? [actOn(String(item.manager), 'manager added', added as Act), done] : [done];
    }
    case 'PAYMENT_REQUEST':
    case 'OFFER':
    case 'WORKSPACE':
    case 'ACCOUNT':
      return [made(item, `${item.type.toLowerCase().replace('_', ' ')} created`, {})];
    default:
      return [];
  }
};

const made = (item: Item, what: string, details: TrailEntry['details']): TrailEntry => {
  // Not validated: the history matters most for an author that was tampered with.
  const { actor, request } = (item.author ?? {}) as Partial<Author>;
  return { time: String(item.created), what, id: String(item.id), actor, request, details };
};

const changed = ({ updated, id }: Item, what: string, details: TrailEntry['details']) => ({
  time: String(updated),
  what,
  id: String(id),
  details,
});

const actOn = (id: string, what: string, { at, actor, request }: Act): TrailEntry => ({
  time: at,
  what,
  id,
  actor,
  request,
  details: {},
});

const importOf = ({ id, type, imported }: Item): TrailEntry[] => {
  if (!imported || type === 'CLAIM') return [];
  const what = 'restored' in (imported as Act) ? 'restored' : 'imported';
  return [actOn(String(id), what, imported as Act)];
};
