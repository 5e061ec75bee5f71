import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { Account } from '../../../functions/domain/account.ts';
import { AccountId, ManagerId } from '../../../functions/domain/identifiers.ts';
import { newIdentity } from '../../../functions/runtime/identity.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { account } from '../kinds/account.ts';
import { argument, examples, group, nameArgument, serve } from '../service/command.ts';
import { create, existsAlready } from '../service/create.ts';
import { byScan, listCommand } from '../service/list.ts';
import { showCommand } from '../service/show.ts';
import { listManagers } from '../table/managers.ts';
import { accountExists, accountItem } from '../table/tenant-items.ts';
import { facts } from '../terminal/print.ts';

const createCommand = serve(
  new Command('create')
    .description('Create an account: a company that owns workspaces and has managers.')
    .requiredOption('--name <name>', "the company's name", nameArgument)
    .option('--id <id>', 'its id, acc_… (default: a new one)', argument(AccountId))
    .addHelpText(
      'after',
      examples(
        'account create --name "Acme Ltd"',
        'account create --id acc_acme --name "Acme Ltd"',
      ),
    ),
  Account,
  async ({ operator }, { name, id: given }) => {
    const { opaque, created } = newIdentity();
    const made: Account = { id: given ?? `acc_${opaque}`, name, created };
    // That of a test workspace has a manager and no item.
    if (await accountExists(made.id)) throw existsAlready(account, made.id);
    return create(account, made, accountItem(made), await operator());
  },
);

const list = listCommand({
  kind: account,
  order: byScan,
  element: Account,
  columns: ['id', 'name', 'created'],
  example: 'account list',
});

const show = showCommand({
  kind: account,
  description: 'Show an account with its managers.',
  id: ['its id, acc_…', AccountId],
  // The account of a test workspace is its manager alone.
  output: z.object({
    id: AccountId,
    name: z.optional(Account.shape.name),
    created: z.optional(Account.shape.created),
    managers: z.array(ManagerId),
  }),
  async find(id) {
    const [item, managers] = await Promise.all([read(keys.account(id)), listManagers(id)]);
    if (!item && managers.length === 0) return undefined;
    return { ...item, id, managers: managers.map((manager) => manager.id) };
  },
  text: ({ id, name, created, managers }) =>
    facts({
      account: id,
      name: name ?? 'none',
      created: created ?? 'unknown',
      managers: managers.join(', ') || 'none',
    }),
  remark:
    '`workspace list --account <id>` lists its workspaces. The account of a test workspace has a manager\nand no name.',
  example: 'account show acc_acme',
});

/** Creates, lists and shows accounts. */
export const command = group('account', 'Accounts', createCommand, list, show);
