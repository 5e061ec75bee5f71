import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { kindOf, needOf } from '../kinds/all.ts';
import type { Item } from '../kinds/kind.ts';
import { readPartition, scanPartitions } from './scan.ts';
import { findWorkspace, requireWorkspace } from './tenant-items.ts';

/**
 * Everything that belongs to a workspace and to the test workspaces of its sandboxes.
 *
 * @throws AdminError when there is no such workspace
 */
export async function* exportItems(id: string, withSecrets: boolean): AsyncGenerator<Item> {
  const { account } = await requireWorkspace(id);
  const own = await readPartition(keys.workspace(id).pk);
  yield* own;
  const workspaces = new Set([id]);
  const accounts = new Set([account]);
  for (const { sandbox_workspace } of own) {
    if (!sandbox_workspace) continue;
    const test = await findWorkspace(String(sandbox_workspace));
    if (!test) continue;
    yield* await readPartition(keys.workspace(test.id).pk);
    workspaces.add(test.id);
    accounts.add(test.account);
  }
  for (const each of accounts) yield* await readPartition(keys.account(each).pk);
  // What lies in one of these is not repeated.
  const done = new Set<unknown>([
    ...[...workspaces].map((each) => keys.workspace(each).pk),
    ...[...accounts].map((each) => keys.account(each).pk),
  ]);

  for await (const partition of scanPartitions()) {
    if (done.has(partition[0]?.pk)) continue;
    const items = partition.filter((item) => isExported(item, withSecrets));
    if (workspaces.has(await workspaceOf(items))) yield* items;
  }
}

const isExported = (item: Item, withSecrets: boolean): boolean => {
  const kind = kindOf(item);
  return kind !== undefined && (withSecrets || !kind.isSecret);
};

/**
 * An approval does not say whose it is; what it needs does, and is in the same partition. What lies
 * aside decides only where nothing else does.
 */
const workspaceOf = async (items: readonly Item[]): Promise<string> => {
  const others = items.filter((item) => !kindOf(item)?.isAside);
  const owned = (others.length > 0 ? others : items).find(({ workspace }) => workspace);
  const need = !owned && others[0] && needOf(others[0]);
  const owner = need ? await read(need.key) : owned;
  return String(owner?.workspace);
};
