import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { type Item, readPartition, scanPartitions } from '../table/scan.ts';
import { findWorkspace, requireWorkspace } from '../table/tenant-items.ts';

/**
 * Everything that belongs to a workspace and to the test workspaces of its sandboxes.
 *
 * @throws AdminError when there is no such workspace
 */
export async function* exportItems(id: string, withTokens: boolean): AsyncGenerator<Item> {
  const { account } = await requireWorkspace(id);
  const own = await readPartition(keys.workspace(id).pk);
  yield* own;
  const workspaces = new Set([id]);
  const accounts = new Set([account]);
  for (const sandbox of own.filter(isReadySandbox)) {
    const test = await findWorkspace(String(sandbox.sandbox_workspace));
    if (!test) continue;
    yield* await readPartition(keys.workspace(test.id).pk);
    workspaces.add(test.id);
    accounts.add(test.account);
  }
  for (const each of accounts) yield* await readPartition(keys.account(each).pk);
  // An operator's act may lie in one of these, and is not repeated.
  const done = new Set<unknown>([
    ...[...workspaces].map((each) => keys.workspace(each).pk),
    ...[...accounts].map((each) => keys.account(each).pk),
  ]);

  const types = withTokens ? [...scanned, 'TOKEN'] : scanned;
  for await (const partition of scanPartitions()) {
    const items = partition.filter(({ type }) => types.includes(String(type)));
    if (items.length === 0 || done.has(items[0]?.pk)) continue;
    if (workspaces.has(await workspaceOf(items))) yield* items;
  }
}

/** What lies in partitions of its own; the rest is found by its key. */
const scanned = ['PAYMENT_REQUEST', 'APPROVAL', 'OFFER', 'DELIVERY', 'ACT', 'CLAIM'];

const isReadySandbox = ({ type, status }: Item) => type === 'SANDBOX' && status === 'ready';

/**
 * Approvals do not say whose they are; their request does, and is in the same partition. An act
 * says whose message it was about, and decides only where nothing else does.
 */
const workspaceOf = async (items: readonly Item[]): Promise<string> => {
  const others = items.filter(({ type }) => type !== 'ACT');
  const owned =
    others.find(({ workspace }) => workspace) ??
    (others[0] ? await requestOf(others[0]) : items.find(({ workspace }) => workspace));
  return String(owned?.workspace);
};

const requestOf = (approval: Item) => read(keys.paymentRequest(String(approval.payment_request)));
