import { randomUUID } from 'node:crypto';
import { Argument, Command } from 'commander';
import { ManagerId } from '../../functions/domain/identifiers.ts';
import { createAll } from '../../functions/store/bulk.ts';
import {
  findManager,
  listManagers,
  managerItem,
  removeManager,
} from '../../functions/store/managers.ts';
import { AdminError } from './admin-error.ts';
import { argument } from './argument.ts';
import { confirm } from './confirm.ts';
import { connect } from './connect.ts';
import { requireAccount } from './find.ts';
import { examples, type Options } from './options.ts';
import { print, table } from './print.ts';

type AccountOptions = Options & { account: string };

const managerId = argument(ManagerId, 'A manager is named by a UUID.');

const add = new Command('add')
  .description('Let somebody approve payment requests for an account.')
  .addArgument(
    new Argument('[id]', "the manager's UUID; without it a new one is made").argParser(managerId),
  )
  .requiredOption('--account <id>', 'the account')
  .addHelpText(
    'after',
    `\nAdding somebody who is a manager already changes nothing.
${examples('manager add 11111111-1111-4111-8111-111111111111 --account acc_acme')}`,
  )
  .action(async (given: string | undefined, _, command: Command) => {
    const options = command.optsWithGlobals<AccountOptions>();
    const { account, json } = options;
    await connect(options);
    await requireAccount(account);
    const manager = { id: given ?? randomUUID(), account, created: new Date().toISOString() };
    const [creation] = await createAll([managerItem(manager)]);
    const added = creation?.outcome === 'created';
    if (!added) console.error(`${manager.id} was a manager of ${account} already.`);
    print(json, { id: manager.id, account, added }, () => manager.id);
  });

const remove = new Command('remove')
  .description('Let somebody approve no more. What they have approved stays.')
  .addArgument(new Argument('<id>', "the manager's UUID").argParser(managerId))
  .requiredOption('--account <id>', 'the account')
  .addHelpText(
    'after',
    examples('manager remove 11111111-1111-4111-8111-111111111111 --account acc_acme'),
  )
  .action(async (id: string, _, command: Command) => {
    const options = command.optsWithGlobals<AccountOptions>();
    const { account, json, yes } = options;
    await connect(options);
    const manager = await findManager(account, id);
    if (!manager) throw new AdminError(`${account} has no manager ${id}.`);
    await confirm(yes, `Remove the manager ${id} of ${account}?`);
    await removeManager(manager);
    print(json, { removed: id, account }, () => `Removed ${id}.`);
  });

const list = new Command('list')
  .description('List the managers of an account.')
  .requiredOption('--account <id>', 'the account')
  .addHelpText('after', examples('manager list --account acc_demo'))
  .action(async (_, command: Command) => {
    const options = command.optsWithGlobals<AccountOptions>();
    await connect(options);
    await requireAccount(options.account);
    const managers = await listManagers(options.account);
    print(options.json, managers, () =>
      managers.length > 0
        ? table(
            ['ID', 'SINCE'],
            managers.map(({ id, created }) => [id, created]),
          )
        : 'No managers.',
    );
  });

export const managerCommand = new Command('manager')
  .description('Managers, who approve for an account')
  .addCommand(add)
  .addCommand(remove)
  .addCommand(list);
