import { randomUUID } from 'node:crypto';
import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { authorIn } from '../../../functions/domain/author.ts';
import { AccountId, ManagerId } from '../../../functions/domain/identifiers.ts';
import { Manager } from '../../../functions/domain/payment-request.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { AdminError, required } from '../../command-line/admin-error.ts';
import { confirm } from '../../command-line/confirm.ts';
import { countOf } from '../../command-line/print.ts';
import { argument, examples, group, serve } from '../service/command.ts';
import { listCommand } from '../service/list.ts';
import { readText } from '../service/read-text.ts';
import { inParallel, parallelCalls } from '../table/in-parallel.ts';
import { addManager, listManagers, removeManager } from '../table/managers.ts';
import { requireAccount } from '../table/tenant-items.ts';

const example = '11111111-1111-4111-8111-111111111111';

/** The UUID of a manager to add. A field that was never set is the nil UUID in some languages. */
const AddedManagerId = ManagerId.check(z.regex(/[^0-]/, 'Must not be the nil UUID.'));

const requireManager = async (account: string, id: string) =>
  required(await readItem(keys.manager(account, id)), `${account} has no manager ${id}.`);

const add = serve(
  new Command('add')
    .description('Add a manager, who may approve payment requests of an account.')
    .argument('[id]', "the manager's UUID (default: a new one)", argument(AddedManagerId))
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

/** @throws AdminError when a line is not the UUID of a manager, or there is none */
const readIds = (file: string): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const [index, line] of readText(file).split('\n').entries()) {
    if (!line.trim()) continue;
    const { success, data, error } = AddedManagerId.safeParse(line.trim());
    if (!success) {
      throw new AdminError(`Line ${index + 1} of ${file}: ${error.issues[0]?.message}`);
    }
    ids.add(data);
  }
  if (ids.size === 0) throw new AdminError(`${file} names no manager.`);
  return ids;
};

const sync = serve(
  new Command('sync')
    .description('Add the managers of a file who are missing, or make them the only ones.')
    .argument('<file>', 'the file, which has a UUID on each line')
    .requiredOption('--account <id>', 'the account', argument(AccountId))
    .option('--remove-others', 'remove the managers who are not in the file'),
  `\nRunning the same command again is safe, and continues one that was interrupted.
${examples('manager sync managers.txt --account acc_acme --remove-others')}`,
  async ({ operator }, { account, removeOthers, yes }, file) => {
    const ids = readIds(file);
    await requireAccount(account);
    const before = await listManagers(account);
    const missing = [...ids.difference(new Set(before.map(({ id }) => id)))];
    const others = before.filter(({ id }) => !ids.has(String(id)));
    if (others.length > 0) {
      const counted = `${countOf(others.length, 'manager')} of ${account} not in ${file}`;
      if (removeOthers) await confirm(yes, `Remove ${counted}?`);
      else console.error(`${counted}: --remove-others would remove them.`);
    }
    const author = await operator();
    const adding = inParallel(missing, parallelCalls, (id) => addManager({ account, id }, author));
    const removing = inParallel(removeOthers ? others : [], parallelCalls, (item) =>
      removeManager(item, { at: new Date().toISOString(), ...author }),
    );
    const added = (await Array.fromAsync(adding)).filter(Boolean).length;
    const removed = (await Array.fromAsync(removing)).filter(Boolean).length;
    return { value: { account, added, removed } };
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

export const command = group('manager', 'Managers, who approve', add, remove, sync, list, show);
