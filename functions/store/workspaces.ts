import type { Workspace } from '../domain/workspace.ts';
import { keys } from './keys.ts';

/** A workspace as an item. */
export const workspaceItem = (workspace: Workspace) => ({
  ...keys.workspace(workspace.id),
  type: 'WORKSPACE',
  ...workspace,
});
