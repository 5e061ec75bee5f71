import { Command, Option } from 'commander';
import type { Account } from '../../functions/domain/account.ts';
import { AccountId } from '../../functions/domain/identifiers.ts';
import { Name } from '../../functions/domain/text.ts';
import { accountExists, accountItem } from '../../functions/store/accounts.ts';
import { createAll } from '../../functions/store/bulk.ts';
import { newIdentity } from '../../functions/store/identifiers.ts';
import { AdminError } from './admin-error.ts';
import { argument } from './argument.ts';
import { connect } from './connect.ts';
import { examples, type Options } from './options.ts';
import { print } from './print.ts';

const create = new Command('create')
  .description('Create an account: a company that owns workspaces and has managers.')
  .addOption(
    new Option('--name <name>', "the company's name")
      .argParser(
        argument(Name, 'A name has 1 to 255 characters, of which one at least can be seen.'),
      )
      .makeOptionMandatory(),
  )
  .addOption(
    new Option('--id <id>', 'its id, acc_…; without it a new one is made').argParser(
      argument(AccountId, 'An id of an account is acc_ and up to 100 letters, digits, _ or -.'),
    ),
  )
  .addHelpText(
    'after',
    examples('account create --name "Acme Ltd"', 'account create --id acc_acme --name "Acme Ltd"'),
  )
  .action(async (_, command: Command) => {
    const options = command.optsWithGlobals<Options & { name: string; id?: string }>();
    await connect(options);
    const { opaque, created } = newIdentity();
    const { name, id = `acc_${opaque}` } = options;
    if (await accountExists(id)) throw new AdminError(`There is an account ${id} already.`);
    const account: Account = { id, name, created };
    await createAll([accountItem(account)]);
    print(options.json, account, () => id);
  });

export const accountCommand = new Command('account').description('Accounts').addCommand(create);
