import { Command } from 'commander';
import * as z from 'zod/mini';
import { isTestWorkspace } from '../../../functions/domain/caller.ts';
import { WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Workspace } from '../../../functions/domain/workspace.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import {
  argument,
  examples,
  group,
  nameArgument,
  type Options,
  withService,
} from '../service/command.ts';
import { byScan, listCommand, scanned } from '../service/list.ts';
import { createAll } from '../table/bulk.ts';
import { requireAccount, requireWorkspace } from '../table/tenant-items.ts';
import { AdminError, UsageError } from '../terminal/admin-error.ts';
import { facts, print } from '../terminal/print.ts';

interface CreateOptions extends Options {
  readonly account: string;
  readonly name: string;
  readonly id?: string;
}

const create = new Command('create')
  .description('Create a live workspace of an account.')
  .requiredOption('--account <id>', 'the account that it belongs to')
  .requiredOption('--name <name>', 'its name', nameArgument)
  .option(
    '--id <id>',
    'its id, wsp_… (default: a new one)',
    argument(WorkspaceId, 'A workspace id is wsp_ and up to 100 letters, digits, _ or -.'),
  )
  .addHelpText(
    'after',
    `\nPOST /v1/sandboxes creates test workspaces.
${examples('workspace create --account acc_acme --name "Acme Ltd"')}`,
  )
  .hook('preAction', (command) => {
    const { id = '' } = command.opts<CreateOptions>();
    if (isTestWorkspace(id)) {
      throw new UsageError(
        `${id} would be a test workspace: those are created with their sandbox.`,
      );
    }
  })
  .action(
    withService(async ({ operator }, { account, name, id: given, json }: CreateOptions) => {
      await requireAccount(account);
      const { opaque, created } = newIdentity();
      const id = given ?? `wsp_${opaque}`;
      const workspace: Workspace = { id, account, name, created };
      const [creation] = await createAll([
        { ...workspaceItem(workspace), author: await operator() },
      ]);
      if (creation?.result !== 'created') {
        throw new AdminError(`There is a workspace ${id} already.`);
      }
      print(json, workspace, () => id);
    }),
  );

const withKind = (workspace: Workspace) => ({
  ...workspace,
  kind: isTestWorkspace(workspace.id) ? 'test' : 'live',
});

const list = listCommand({
  nouns: 'workspaces',
  of: '[--account <id>]',
  order: `live ones and test ones (wsp_test_…), ${byScan}`,
  id: WorkspaceId,
  read: (options) =>
    scanned('WORKSPACE', z.pipe(Workspace, z.transform(withKind)), keys.workspace, options),
  row: ({ id, kind, name, account, created }) => ({ id, kind, name, account, created }),
  example: 'workspace list --account acc_acme',
});

const show = new Command('show')
  .description('Show a workspace, live or test.')
  .argument('<id>', 'its id, wsp_…')
  .addHelpText('after', examples('workspace show wsp_demo'))
  .action(
    withService(async (_, { json }: Options, id: string) => {
      const workspace = withKind(await requireWorkspace(id));
      const { kind, name, account, created } = workspace;
      print(json, workspace, () => facts({ workspace: id, kind, name, account, created }));
    }),
  );

/** Creates, lists and shows workspaces. */
export const command = group('workspace', 'Workspaces', create, list, show);
