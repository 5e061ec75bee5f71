import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { isTestWorkspace } from '../../../functions/domain/caller.ts';
import { AccountId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { Workspace } from '../../../functions/domain/workspace.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { workspace } from '../kinds/workspace.ts';
import { argument, examples, group, nameArgument, serve } from '../service/command.ts';
import { create } from '../service/create.ts';
import { byScan, listCommand } from '../service/list.ts';
import { showCommand } from '../service/show.ts';
import { scanType } from '../table/scan.ts';
import { findWorkspace, requireAccount } from '../table/tenant-items.ts';
import { UsageError } from '../terminal/admin-error.ts';
import { facts } from '../terminal/print.ts';

const createCommand = serve(
  new Command('create')
    .description('Create a live workspace of an account.')
    .requiredOption('--account <id>', 'the account that it belongs to', argument(AccountId))
    .requiredOption('--name <name>', 'its name', nameArgument)
    .option('--id <id>', 'its id, wsp_… (default: a new one)', argument(WorkspaceId))
    .addHelpText(
      'after',
      `\nPOST /v1/sandboxes creates test workspaces.
${examples('workspace create --account acc_acme --name "Acme Ltd"')}`,
    )
    .hook('preAction', (command) => {
      const { id = '' } = command.opts();
      if (isTestWorkspace(id)) {
        throw new UsageError(
          `${id} would be a test workspace: those are created with their sandbox.`,
        );
      }
    }),
  Workspace,
  async ({ operator }, { account, name, id: given }) => {
    await requireAccount(account);
    const { opaque, created } = newIdentity();
    const made: Workspace = { id: given ?? `wsp_${opaque}`, account, name, created };
    return create(workspace, made, workspaceItem(made), await operator());
  },
);

const KnownWorkspace = z.extend(Workspace, { kind: z.enum(['live', 'test']) });

const withKind = (workspace: Workspace) => ({
  ...workspace,
  kind: isTestWorkspace(workspace.id) ? 'test' : 'live',
});

const list = listCommand({
  kind: workspace,
  of: '[--account <id>]',
  order: `live ones and test ones (wsp_test_…), ${byScan}`,
  element: KnownWorkspace,
  async *read(parent) {
    for await (const item of scanType(workspace.type, { ...parent })) {
      yield withKind(Workspace.parse(item));
    }
  },
  columns: ['id', 'kind', 'name', 'account', 'created'],
  example: 'workspace list --account acc_acme',
});

const show = showCommand({
  kind: workspace,
  description: 'Show a workspace, live or test.',
  id: ['its id, wsp_…', WorkspaceId],
  output: KnownWorkspace,
  async find(id) {
    const workspace = await findWorkspace(id);
    return workspace && withKind(workspace);
  },
  text: ({ id, kind, name, account, created }) =>
    facts({ workspace: id, kind, name, account, created }),
  example: 'workspace show wsp_demo',
});

/** Creates, lists and shows workspaces. */
export const command = group('workspace', 'Workspaces', createCommand, list, show);
