import { Command, Option } from 'commander';
import { isTestWorkspace } from '../../functions/domain/caller.ts';
import { WorkspaceId } from '../../functions/domain/identifiers.ts';
import { Name } from '../../functions/domain/text.ts';
import type { Workspace } from '../../functions/domain/workspace.ts';
import { createAll } from '../../functions/store/bulk.ts';
import { newIdentity } from '../../functions/store/identifiers.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import { AdminError } from './admin-error.ts';
import { argument } from './argument.ts';
import { connect } from './connect.ts';
import { requireAccount } from './find.ts';
import { examples, type Options } from './options.ts';
import { print } from './print.ts';

const create = new Command('create')
  .description('Create a live workspace of an account.')
  .requiredOption('--account <id>', 'the account that it belongs to')
  .addOption(
    new Option('--name <name>', 'its name')
      .argParser(
        argument(Name, 'A name has 1 to 255 characters, of which one at least can be seen.'),
      )
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--id <id>', 'its id, wsp_…; without it a new one is made').argParser(
      argument(WorkspaceId, 'An id of a workspace is wsp_ and up to 100 letters, digits, _ or -.'),
    ),
  )
  .addHelpText(
    'after',
    `\nTest workspaces are made by POST /v1/sandboxes.
${examples('workspace create --account acc_acme --name "Acme Ltd"')}`,
  )
  .action(async (_, command: Command) => {
    const options = command.optsWithGlobals<
      Options & { account: string; name: string; id?: string }
    >();
    const { opaque, created } = newIdentity();
    const { account, name, id = `wsp_${opaque}` } = options;
    if (isTestWorkspace(id)) {
      throw new AdminError(`${id} would be a test workspace; those are made with their sandbox.`);
    }
    await connect(options);
    await requireAccount(account);
    const workspace: Workspace = { id, account, name, created };
    const [creation] = await createAll([workspaceItem(workspace)]);
    if (creation?.outcome !== 'created') {
      throw new AdminError(`There is a workspace ${id} already.`);
    }
    print(options.json, workspace, () => id);
  });

export const workspaceCommand = new Command('workspace')
  .description('Live workspaces')
  .addCommand(create);
