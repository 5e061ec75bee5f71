import { Command } from 'commander';
import { Account } from '../../../functions/domain/account.ts';
import { AccountId } from '../../../functions/domain/identifiers.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
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
import { listManagers } from '../table/managers.ts';
import { accountExists, accountItem, requireAccount } from '../table/tenant-items.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { facts, print } from '../terminal/print.ts';

const accountId = argument(
  AccountId,
  'An account id is acc_ and up to 100 letters, digits, _ or -.',
);

interface CreateOptions extends Options {
  readonly name: string;
  readonly id?: string;
}

const create = new Command('create')
  .description('Create an account: a company that owns workspaces and has managers.')
  .requiredOption('--name <name>', "the company's name", nameArgument)
  .option('--id <id>', 'its id, acc_… (default: a new one)', accountId)
  .addHelpText(
    'after',
    examples('account create --name "Acme Ltd"', 'account create --id acc_acme --name "Acme Ltd"'),
  )
  .action(
    withService(async ({ operator }, { name, id: given, json }: CreateOptions) => {
      const { opaque, created } = newIdentity();
      const id = given ?? `acc_${opaque}`;
      const account: Account = { id, name, created };
      const item = { ...accountItem(account), author: await operator() };
      const [creation] = (await accountExists(id)) ? [] : await createAll([item]);
      if (creation?.result !== 'created') {
        throw new AdminError(`There is an account ${id} already.`);
      }
      print(json, account, () => id);
    }),
  );

const list = listCommand({
  nouns: 'accounts',
  order: byScan,
  id: AccountId,
  read: (options) => scanned('ACCOUNT', Account, keys.account, options),
  row: ({ id, name, created }) => ({ id, name, created }),
  example: 'account list',
});

const show = new Command('show')
  .description('Show an account with its managers.')
  .argument('<id>', 'its id, acc_…')
  .addHelpText(
    'after',
    `\n\`workspace list --account <id>\` lists its workspaces. The account of a test workspace has a manager
and no name.
${examples('account show acc_acme')}`,
  )
  .action(
    withService(async (_, { json }: Options, id: string) => {
      await requireAccount(id);
      const [item, managers] = await Promise.all([read(keys.account(id)), listManagers(id)]);
      const { name, created } = item ? Account.parse(item) : {};
      print(json, { id, name, created, managers: managers.map(({ id }) => id) }, () =>
        facts({
          account: id,
          name: name ?? 'none',
          created: created ?? 'unknown',
          managers: managers.map(({ id }) => id).join(', ') || 'none',
        }),
      );
    }),
  );

/** Creates, lists and shows accounts. */
export const command = group('account', 'Accounts', create, list, show);
