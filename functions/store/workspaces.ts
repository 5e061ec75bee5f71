import type { Workspace } from '../domain/workspace.ts';
import { keys } from './keys.ts';

export const workspaceItem = (workspace: Workspace) => ({
  ...keys.workspace(workspace.id),
  type: 'WORKSPACE',
  ...workspace,
});
