import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { AccountId, ManagerId } from '../../../functions/domain/identifiers.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { read } from '../../../functions/store/read.ts';
import { manager } from '../kinds/manager.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { showCommand } from '../service/show.ts';
import { addManager, listManagers, removeManager } from '../table/managers.ts';
import { requireAccount } from '../table/tenant-items.ts';
import { AdminError, required } from '../terminal/admin-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { facts } from '../terminal/print.ts';
import { reply } from '../terminal/report-error.ts';

const shownBy = (id: string, account: string) =>
  `\`manager show ${id} --account ${account}\` shows it.`;

const add = serve(
  new Command('add')
    .description('Add a manager, who may approve payment requests of an account.')
    .argument('[id]', "the manager's UUID (default: a new one)", argument(ManagerId))
    .requiredOption('--account <id>', 'the account', argument(AccountId))
    .addHelpText(
      'after',
      `\nAdding a manager again changes nothing, unless the manager was removed.
${examples('manager add 11111111-1111-4111-8111-111111111111 --account acc_acme')}`,
    ),
  z.object({ id: ManagerId, account: AccountId, added: z.boolean() }),
  async ({ operator }, { account }, id = randomUUID()) => {
    await requireAccount(account);
    const adding = addManager({ id, account }, await operator());
    const added = await reply(shownBy(id, account), adding);
    if (!added) console.error(`${id} was a manager of ${account} already.`);
    return { value: { id, account, added }, text: () => id };
  },
);

const remove = serve(
  new Command('remove')
    .description('Remove a manager, who can then no longer approve. Earlier approvals stay.')
    .argument('<id>', "the manager's UUID", argument(ManagerId))
    .requiredOption('--account <id>', 'the account', argument(AccountId))
    .addHelpText(
      'after',
      examples('manager remove 11111111-1111-4111-8111-111111111111 --account acc_acme'),
    ),
  z.object({ removed: ManagerId, account: AccountId }),
  async ({ operator }, { account, yes }, id) => {
    const item = await read(keys.manager(account, id));
    const manager = Manager.parse(required(item, `${account} has no manager ${id}.`));
    const { removed: before } = manager;
    if (before) throw new AdminError(`${id} was removed ${before.at} by ${before.actor}.`);
    await confirm(yes, `Remove the manager ${id} of ${account}?`);
    const removed = { at: new Date().toISOString(), ...(await operator()) };
    if (!(await reply(shownBy(id, account), removeManager(manager, removed)))) {
      throw new AdminError(`${id} was removed by another command.`);
    }
    return { value: { removed: id, account }, text: () => `Removed ${id}.` };
  },
);

const list = listCommand({
  kind: manager,
  of: '--account <id>',
  order: 'in the order of their ids',
  element: Manager,
  async *read({ account = '' }) {
    yield* await listManagers(account);
  },
  columns: ['id', 'created'],
  example: 'manager list --account acc_demo',
});

const show = showCommand({
  kind: manager,
  description: 'Show a manager of an account.',
  id: ["the manager's UUID", ManagerId],
  of: '--account <id>',
  output: Manager,
  find: (id, { account = '' }) => read(keys.manager(account, id)),
  text: ({ id, account, created, removed }) =>
    facts({
      manager: id,
      account,
      created,
      ...(removed && { removed: `${removed.at} by ${removed.actor}` }),
    }),
  example: 'manager show 11111111-1111-4111-8111-111111111111 --account acc_demo',
});

/** Adds, removes, lists and shows the managers of an account. */
export const command = group(
  'manager',
  'Managers, who approve payment requests of an account',
  add,
  remove,
  list,
  show,
);
