import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import { authorIn } from '../../../functions/domain/author.ts';
import { AccountId, ManagerId } from '../../../functions/domain/identifiers.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { AdminError, required } from '../../command-line/admin-error.ts';
import { confirm } from '../../command-line/confirm.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { addManager, listManagers, removeManager } from '../table/managers.ts';
import { requireAccount } from '../table/tenant-items.ts';

const example = '11111111-1111-4111-8111-111111111111';

const requireManager = async (account: string, id: string) =>
  required(await read(keys.manager(account, id)), `${account} has no manager ${id}.`);

const add = serve(
  new Command('add')
    .description('Add a manager, who may approve payment requests of an account.')
    .argument('[id]', "the manager's UUID (default: a new one)", argument(ManagerId))
    .requiredOption('--account <id>', 'the account', argument(AccountId)),
  `\nAdding a manager again changes nothing, unless the manager was removed.
${examples(`manager add ${example} --account acc_acme`)}`,
  async ({ operator }, { account }, id = randomUUID()) => {
    await requireAccount(account);
    const added = await addManager({ id, account }, await operator());
    if (!added) console.error(`${id} was a manager of ${account} already.`);
    return { value: { id, account, added }, text: () => id };
  },
);

const remove = serve(
  new Command('remove')
    .description('Remove a manager, who can then no longer approve. Earlier approvals stay.')
    .argument('<id>', "the manager's UUID", argument(ManagerId))
    .requiredOption('--account <id>', 'the account', argument(AccountId)),
  examples(`manager remove ${example} --account acc_acme`),
  async ({ operator }, { account, yes }, id) => {
    const item = await requireManager(account, id);
    const { removed: before } = Manager.parse(item);
    if (before) throw new AdminError(`${id} was removed ${before.at} by ${before.actor}.`);
    await confirm(yes, `Remove the manager ${id} of ${account}?`);
    const removed = { at: new Date().toISOString(), ...(await operator()) };
    if (!(await removeManager(item, removed))) {
      throw new AdminError(`${id} was removed by another command.`);
    }
    return { value: { removed: id, account }, text: () => `Removed ${id}.` };
  },
);

const list = listCommand({
  noun: 'manager',
  of: 'account',
  order: 'in the order of their ids',
  async *read({ account = '' }) {
    yield* await listManagers(account);
  },
  schema: Manager,
  shown: ['id', 'created'],
  example: 'manager list --account acc_demo',
});

const show = serve(
  new Command('show')
    .description('Show a manager of an account.')
    .argument('<id>', "the manager's UUID", argument(ManagerId))
    .requiredOption('--account <id>', 'the account', argument(AccountId)),
  examples(`manager show ${example} --account acc_demo`),
  async (_, { account }, id) => {
    const item = await requireManager(account, id);
    return { value: { ...Manager.parse(item), author: authorIn(item) } };
  },
);

/** Adds, removes, lists and shows the managers of an account. */
export const command = group('manager', 'Managers, who approve', add, remove, list, show);
