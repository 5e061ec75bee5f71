import { Workspace } from '../../../functions/domain/workspace.ts';
import { keys } from '../../../functions/store/keys.ts';
import { type Kind, made } from './kind.ts';

/** A workspace of an account, live or test. */
export const workspace: Kind = {
  type: 'WORKSPACE',
  noun: 'workspace',
  shape: Workspace.shape,
  key: ({ id }) => keys.workspace(String(id)),
  trail: (item) => [made(item, 'workspace created')],
};
