import { Account } from '../../../functions/domain/account.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Kind, made } from './kind.ts';

/** A company that owns workspaces and has managers. */
export const account: Kind = {
  type: 'ACCOUNT',
  noun: 'account',
  shape: Account.shape,
  key: ({ id }) => keys.account(String(id)),
  trail: (item) => [made(item, 'account created')],
};
