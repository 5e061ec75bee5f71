import type { Fault } from '../../../functions/domain/problem.ts';
import { DiskMap } from './disk-map.ts';
import type { Item } from './scan.ts';

/** Finds sandboxes that name the test workspace of another workspace's sandbox. */
export class SandboxOwners {
  /** By the test workspace, the workspace of the first sandbox that named it. */
  readonly #owners = new DiskMap<unknown>();

  /** @returns what is wrong with an item beside those that were added before */
  add({ type, workspace, sandbox_workspace }: Item): Fault[] {
    if (type !== 'SANDBOX') return [];
    const key = { pk: sandbox_workspace, sk: '' };
    this.#owners.setIfMissing(key, workspace);
    if (this.#owners.get(key) === workspace) return [];
    const detail = `The workspace ${sandbox_workspace} belongs to another workspace.`;
    return [{ pointer: '/sandbox_workspace', code: 'exists_elsewhere', detail }];
  }
}
