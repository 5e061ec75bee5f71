import { Command, Option } from '@commander-js/extra-typings';
import type { Command as AnyCommand } from 'commander';
import type * as z from 'zod/mini';
import { AccountId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Kind } from '../kinds/kind.ts';
import { required } from '../terminal/admin-error.ts';
import { argument, examples, type Options, serve } from './command.ts';
import type { Parent } from './list.ts';

/** How to show one thing of a kind. */
interface Showing<T> {
  readonly kind: Kind;
  readonly description: string;
  /** What the help says of its id, and the schema that parses one. */
  readonly id: readonly [description: string, schema: z.ZodMiniType<string>];
  /** The parent, where an id alone does not find it. */
  readonly of?: '--account <id>' | '--workspace <id>';
  readonly output: z.ZodMiniType<T>;
  /** @returns undefined if there is none */
  readonly find: (id: string, parent: Parent) => Promise<unknown>;
  readonly text: (found: T) => string;
  /** What the help says more. */
  readonly remark?: string;
  readonly example: string;
}

/** The command `show` of a noun. */
export const showCommand = <T>(showing: Showing<T>): AnyCommand => {
  const { kind, description, id, of, output, find, text, remark, example } = showing;
  const command = new Command('show')
    .description(description)
    .argument('<id>', id[0], argument(id[1]))
    .addHelpText('after', `${remark ? `\n${remark}\n` : ''}${examples(example)}`);
  if (of) command.addOption(ownerOption(of));
  return serve(command, output, async (_, options, given) => {
    const parent: Options & Parent = options;
    const owner = of && (parent.account ?? parent.workspace);
    const sentence = owner
      ? `${owner} has no ${kind.noun} ${given}.`
      : `There is no ${kind.noun} ${given}.`;
    const value = output.parse(required(await find(given, parent), sentence));
    return { value, text: () => text(value) };
  });
};

const ownerOption = (of: '--account <id>' | '--workspace <id>') =>
  (of === '--account <id>'
    ? new Option(of, 'the account').argParser(argument(AccountId))
    : new Option(of, 'the live workspace that owns it').argParser(argument(WorkspaceId))
  ).makeOptionMandatory();
