import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { type Author, authorIn } from '../domain/author.ts';
import { type fixtures, Sandbox } from '../domain/sandbox.ts';
import { documents, table } from './client.ts';
import { commit, commitNew, putOf, updateOf, type Write } from './commit.ts';
import { bounds, keys } from './keys.ts';
import { managerItem } from './managers.ts';
import { deliveryItem, offerItem } from './offers.ts';
import { paymentRequestItem } from './payment-requests.ts';
import { readItem } from './read.ts';
import { workspaceItem } from './workspaces.ts';

export const sandboxItem = (sandbox: Sandbox) => ({
  ...keys.sandbox(sandbox.workspace, sandbox.id),
  type: 'SANDBOX',
  ...sandbox,
});

/** @throws GuardRefused, OutcomeUnknown */
export const saveNewSandbox = (sandbox: Sandbox, author: Author, guard?: Write): Promise<void> =>
  commitNew({ ...sandboxItem(sandbox), author }, guard);

/** The sandbox of this workspace with its author, who is that of everything made for it. */
export const findSandbox = async (workspace: string, id: string) => {
  const item = await readItem(keys.sandbox(workspace, id));
  return item && { sandbox: Sandbox.parse(item), author: authorIn(item) };
};

/**
 * Where a page of the list starts: behind this sandbox, walking towards older or newer ones. It is
 * the sort key of a DynamoDB LastEvaluatedKey; the workspace is the rest of it.
 */
export interface Position {
  readonly towards: 'older' | 'newer';
  readonly from: string;
}

/**
 * Up to `limit` sandboxes of a workspace, newest first in either direction.
 *
 * One more is read than is returned, because DynamoDB returns a LastEvaluatedKey with a last page
 * that is exactly full. The start key is the ExclusiveStartKey and bounds the key condition too:
 * AWS does not need that, but DynamoDB Local otherwise reads every row before it.
 *
 * @returns `next` is where the next page in the same direction starts, if and only if there is one
 */
export const querySandboxes = async (workspace: string, limit: number, position?: Position) => {
  const { towards } = position ?? { towards: 'older' as const };
  const start = position && keys.sandbox(workspace, position.from);
  const { Items = [] } = await documents.send(
    new QueryCommand({
      TableName: table(),
      ConsistentRead: true,
      Limit: limit + 1,
      ScanIndexForward: towards === 'newer',
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
      ExpressionAttributeValues: {
        ':pk': keys.workspace(workspace).pk,
        ':first': (towards === 'newer' && start?.sk) || bounds.sandbox.first,
        ':last': (towards === 'older' && start?.sk) || bounds.sandbox.last,
      },
      ExclusiveStartKey: start,
    }),
  );
  const sandboxes = Items.slice(0, limit).map((item) => Sandbox.parse(item));
  const last = sandboxes.at(-1);
  return {
    sandboxes: towards === 'newer' ? sandboxes.reverse() : sandboxes,
    ...(Items.length > limit && last && { next: { towards, from: last.id } }),
  };
};

export const fixtureItems = (all: ReturnType<typeof fixtures>): Record<string, unknown>[] => [
  workspaceItem(all.workspace),
  managerItem(all.manager),
  paymentRequestItem(all.workspace.id, all.paymentRequest),
  offerItem(all.workspace.id, all.offer),
  deliveryItem(all.workspace.id, all.delivery),
];

/**
 * Makes a provisioning sandbox ready together with everything in it: no reader sees a ready sandbox
 * without its workspace, nor a workspace whose sandbox is not ready.
 *
 * @throws Conflict when it has become ready meanwhile
 */
export const saveReadySandbox = (
  sandbox: Sandbox,
  all: ReturnType<typeof fixtures>,
  now: string,
  author: Author,
): Promise<void> =>
  commit([
    updateOf(
      keys.sandbox(sandbox.workspace, sandbox.id),
      { status: 'ready', updated: now },
      sandbox,
      ['status'],
    ),
    ...fixtureItems(all).map((item) => putOf({ ...item, author })),
  ]);
