import { Workspace } from '../../../functions/domain/workspace.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';

/** The workspace, or undefined. */
export const findWorkspace = async (id: string): Promise<Workspace | undefined> => {
  const item = await read(keys.workspace(id));
  return item && Workspace.parse(item);
};
