import { Command } from '@commander-js/extra-typings';
import { authorIn } from '../../../functions/domain/author.ts';
import { isTestWorkspace } from '../../../functions/domain/caller.ts';
import { AccountId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Workspace } from '../../../functions/domain/workspace.ts';
import { newStamp } from '../../../functions/runtime/stamp.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { AdminError, required, UsageError } from '../../command-line/admin-error.ts';
import { argument, examples, group, nameArgument, serve } from '../service/command.ts';
import { byScan, listCommand } from '../service/list.ts';
import { requireAccount } from '../table/tenant-items.ts';
import { createItem } from '../table/write.ts';

const create = serve(
  new Command('create')
    .description('Create a live workspace of an account.')
    .requiredOption('--account <id>', 'the account that it belongs to', argument(AccountId))
    .requiredOption('--name <name>', 'its name', nameArgument)
    .option('--id <id>', 'its id, wsp_… (default: a new one)', argument(WorkspaceId)),
  `\nPOST /v1/sandboxes creates test workspaces.
${examples('workspace create --account acc_acme --name "Acme Ltd"')}`,
  async ({ operator }, { account, name, id: given }) => {
    await requireAccount(account);
    if (given && isTestWorkspace(given)) {
      throw new UsageError(`${given} would be a test workspace: those come with their sandbox.`);
    }
    const { opaque, created } = newStamp();
    const workspace: Workspace = { id: given ?? `wsp_${opaque}`, account, name, created };
    const { id } = workspace;
    if (await createItem({ ...workspaceItem(workspace), author: await operator() })) {
      throw new AdminError(`The workspace ${id} exists already.`);
    }
    return { value: workspace, text: () => id };
  },
);

const list = listCommand({
  noun: 'workspace',
  of: 'account',
  isParentOptional: true,
  order: `live ones and test ones (wsp_test_…), ${byScan}`,
  schema: Workspace,
  shown: ['id', 'name', 'account', 'created'],
  example: 'workspace list --account acc_acme',
});

const show = serve(
  new Command('show')
    .description('Show a workspace, live or test.')
    .argument('<id>', 'its id, wsp_…', argument(WorkspaceId)),
  examples('workspace show wsp_demo'),
  async (_, __, id) => {
    const item = required(await readItem(keys.workspace(id)), `There is no workspace ${id}.`);
    return { value: { ...Workspace.parse(item), author: authorIn(item) } };
  },
);

export const command = group('workspace', 'Workspaces', create, list, show);
