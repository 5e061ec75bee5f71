import { Command } from '@commander-js/extra-typings';
import { AccountId } from '../../../functions/domain/identifiers.ts';
import { Account } from '../../../functions/domain/workspace.ts';
import { newStamp } from '../../../functions/runtime/stamp.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { AdminError } from '../../command-line/admin-error.ts';
import { argument, examples, group, nameArgument, serve } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { listManagers } from '../table/managers.ts';
import { accountExists } from '../table/tenant-items.ts';
import { createItem } from '../table/write.ts';

const create = serve(
  new Command('create')
    .description('Create an account: a company that owns workspaces and has managers.')
    .requiredOption('--name <name>', "the company's name", nameArgument)
    .option('--id <id>', 'its id, acc_… (default: a new one)', argument(AccountId)),
  examples('account create --id acc_acme --name "Acme Ltd"'),
  async ({ operator }, { name, id: given }) => {
    const { opaque, created } = newStamp();
    const account: Account = { id: given ?? `acc_${opaque}`, name, created };
    const { id } = account;
    const item = { ...keys.account(id), type: 'ACCOUNT', ...account, author: await operator() };
    // That of a test workspace has a manager and no item.
    if ((await accountExists(id)) || (await createItem(item))) {
      throw new AdminError(`The account ${id} exists already.`);
    }
    return { value: account, text: () => id };
  },
);

const list = listCommand({
  noun: 'account',
  schema: Account,
  shown: ['id', 'name', 'created'],
  example: 'account list',
});

const show = serve(
  new Command('show')
    .description('Show an account with its managers.')
    .argument('<id>', 'its id, acc_…', argument(AccountId)),
  `
\`workspace list --account <id>\` lists its workspaces. The account of a test workspace has a manager
and no name.
${examples('account show acc_acme')}`,
  async (_, __, id) => {
    const [item, managers] = await Promise.all([readItem(keys.account(id)), listManagers(id)]);
    if (!item && managers.length === 0) throw new AdminError(`There is no account ${id}.`);
    const { name, created, author } = item ?? {};
    const ids = managers.map((manager) => manager.id);
    return { value: { id, name, created, author, managers: ids } };
  },
);

export const command = group('account', 'Accounts', create, list, show);
