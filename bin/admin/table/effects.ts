import { Act, authorIn } from '../../../functions/domain/author.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { scanPartitions } from './scan.ts';

/** That an item was created, or its last change of a kind. */
export interface Effect {
  /** ISO 8601. That of a record's creation is the one that its first message names. */
  readonly time: string;
  /** Such as `approval created`. */
  readonly kind: string;
  readonly id: string;
  /** The workspace that it belongs to; the account, of a workspace and of a manager. */
  readonly workspace: string | undefined;
  readonly actor: string;
  readonly request: string;
}

/** Attributes that say who changed an item last, and when. */
const changes = ['changed', 'revoked', 'removed', 'added'] as const;

/** All effects that the table records, in the order of a scan. */
export async function* effects(): AsyncGenerator<Effect> {
  for await (const partition of scanPartitions()) {
    for (const item of partition) if (item.author) yield* effectsOf(item, partition);
  }
}

const effectsOf = (item: Item, partition: readonly Item[]): Effect[] => {
  const { type, id, created } = item;
  // An approval has its payment request's.
  const owner = item.workspace ?? partition.find((each) => each.workspace)?.workspace;
  const named = {
    id: String(id),
    workspace: String(type === 'WORKSPACE' || type === 'MANAGER' ? item.account : (owner ?? '')),
  };
  const creation = { ...authorIn(item), at: String(created), verb: 'created' };
  const later = changes
    .filter((verb) => item[verb])
    .map((verb) => ({ ...Act.parse(item[verb]), verb }));
  return [creation, ...later].map(({ at, verb, actor, request }) => ({
    time: at,
    kind: `${String(type).toLowerCase().replaceAll('_', ' ')} ${verb}`,
    ...named,
    actor,
    request,
  }));
};
