import { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { acted, type Item, type Kind, made } from './kind.ts';

/** When it was added or removed the last time. */
const decidedAt = ({ created, added, removed }: Item): string =>
  [
    String(created),
    ...[added, removed].map((act) => (act as { at?: string } | undefined)?.at ?? ''),
  ]
    .sort()
    .at(-1) ?? '';

/** Someone who may approve for an account. The item of one who was removed stays. */
export const manager: Kind = {
  type: 'MANAGER',
  noun: 'manager',
  shape: Manager.shape,
  key: ({ account, id }) => keys.manager(String(account), String(id)),
  namesake: ({ account }) => account,
  changing: ['created', 'added', 'removed'],
  acts: ['added', 'removed'],
  later: (item, other) => {
    if (decidedAt(other) <= decidedAt(item)) return item;
    const { added: _, removed: __, ...rest } = item;
    const { added, removed } = other;
    return { ...rest, ...(added ? { added } : {}), ...(removed ? { removed } : {}) };
  },
  trail: (item) => {
    const details = { account: item.account };
    return [
      made(item, 'manager added', details),
      ...acted(item, 'manager added again', item.added, details),
      ...acted(item, 'manager removed', item.removed, details),
    ];
  },
};
