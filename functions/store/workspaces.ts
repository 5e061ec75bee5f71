import { Workspace } from '../domain/workspace.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';

export const workspaceItem = (workspace: Workspace) => ({
  ...keys.workspace(workspace.id),
  type: 'WORKSPACE',
  ...workspace,
});

/** The workspace, or undefined. */
export const findWorkspace = async (id: string): Promise<Workspace | undefined> => {
  const item = await read(keys.workspace(id));
  return item && Workspace.parse(item);
};
