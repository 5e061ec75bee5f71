import { Command, Option } from '@commander-js/extra-typings';
import { WorkerId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Item } from '../../../functions/domain/item.ts';
import { AdminError, UsageError } from '../../command-line/admin-error.ts';
import { type Person, subjectsOf } from '../table/redactions.ts';
import { requireWorkspace } from '../table/tenant-items.ts';
import { argument } from './command.ts';

/** A command about a person of a workspace. */
export const personCommand = (name: string) =>
  new Command(name)
    .requiredOption('--workspace <id>', 'the workspace', argument(WorkspaceId))
    .addOption(
      new Option('--worker <id>', 'the payment requests of this worker, wr_…')
        .argParser(argument(WorkerId))
        .conflicts('recipient'),
    )
    .option('--recipient <address>', 'the offers to this address');

/**
 * The payment requests or offers about the person that the options name.
 *
 * @throws AdminError when the workspace has nothing about the person, whose name may be misspelled
 */
export const requireSubjects = async (
  workspace: string,
  { worker, recipient }: Person,
): Promise<Item[]> => {
  if (!worker && !recipient) throw new UsageError('Give --worker or --recipient.');
  await requireWorkspace(workspace);
  const subjects = await subjectsOf(workspace, { worker, recipient });
  if (subjects.length > 0) return subjects;
  const what = worker ? `payment request of the worker ${worker}` : `offer to ${recipient}`;
  throw new AdminError(`${workspace} has no ${what}.`);
};
