import { randomUUID } from 'node:crypto';
import { Command } from 'commander';
import { ManagerId } from '../../../functions/domain/identifiers.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { argument, examples, group, type Options, withService } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { addManager, listManagers, removeManager } from '../table/managers.ts';
import { readItem } from '../table/scan.ts';
import { requireAccount } from '../table/tenant-items.ts';
import { AdminError, required } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { facts, print } from '../terminal/print.ts';

type AccountOptions = Options & { account: string };

const managerId = argument(ManagerId, 'The id of a manager is a UUID.');

const add = new Command('add')
  .description('Add a manager, who may approve payment requests of an account.')
  .argument('[id]', "the manager's UUID (default: a new one)", managerId)
  .requiredOption('--account <id>', 'the account')
  .addHelpText(
    'after',
    `\nAdding a manager again changes nothing, unless the manager was removed.
${examples('manager add 11111111-1111-4111-8111-111111111111 --account acc_acme')}`,
  )
  .action(
    withService(async ({ operator }, { account, json }: AccountOptions, given?: string) => {
      await requireAccount(account);
      const id = given ?? randomUUID();
      const added = await addManager({ id, account }, await operator());
      if (!added) console.error(`${id} was a manager of ${account} already.`);
      print(json, { id, account, added }, () => id);
    }),
  );

const remove = new Command('remove')
  .description('Remove a manager, who can then no longer approve. Earlier approvals stay.')
  .argument('<id>', "the manager's UUID", managerId)
  .requiredOption('--account <id>', 'the account')
  .addHelpText(
    'after',
    examples('manager remove 11111111-1111-4111-8111-111111111111 --account acc_acme'),
  )
  .action(
    withService(async ({ operator }, { account, json, yes }: AccountOptions, id: string) => {
      const manager = await requireManager(account, id);
      const { removed: before } = manager;
      if (before) throw new AdminError(`${id} was removed ${before.at} by ${before.actor}.`);
      await confirm(yes, `Remove the manager ${id} of ${account}?`);
      const removed = { at: new Date().toISOString(), ...(await operator()) };
      if (!(await removeManager(manager, removed))) {
        throw new AdminError(`${id} was removed by another command.`);
      }
      print(json, { removed: id, account }, () => `Removed ${id}.`);
    }),
  );

const list = listCommand({
  nouns: 'managers',
  of: '--account <id>',
  order: 'in the order of their ids',
  id: ManagerId,
  async *read({ account = '', after = '' }) {
    const managers = await listManagers(account);
    yield* managers.filter(({ id }) => id > after);
  },
  row: ({ id, created }) => ({ id, created }),
  example: 'manager list --account acc_demo',
});

const show = new Command('show')
  .description('Show a manager of an account.')
  .argument('<id>', "the manager's UUID", managerId)
  .requiredOption('--account <id>', 'the account')
  .addHelpText(
    'after',
    examples('manager show 11111111-1111-4111-8111-111111111111 --account acc_demo'),
  )
  .action(
    withService(async (_, options: AccountOptions, id: string) => {
      const manager = await requireManager(options.account, id);
      const { account, created, removed } = manager;
      print(options.json, manager, () =>
        facts({
          manager: id,
          account,
          created,
          ...(removed && { removed: `${removed.at} by ${removed.actor}` }),
        }),
      );
    }),
  );

/** Adds, removes, lists and shows the managers of an account. */
export const command = group(
  'manager',
  'Managers, who approve payment requests of an account',
  add,
  remove,
  list,
  show,
);

/** @throws AdminError when there is none */
const requireManager = async (account: string, id: string): Promise<Manager> =>
  Manager.parse(
    required(await readItem(keys.manager(account, id)), `${account} has no manager ${id}.`),
  );
