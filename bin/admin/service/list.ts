import { Command, Option } from '@commander-js/extra-typings';
import type { Command as AnyCommand } from 'commander';
import type * as z from 'zod/mini';
import { AccountId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import { numberBetween } from '../../command-line/number-argument.ts';
import { columns, pluralOf } from '../../command-line/print.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { scanType } from '../table/scan.ts';
import { requireAccount, requireWorkspace } from '../table/tenant-items.ts';
import { argument, examples, serve } from './command.ts';

const parents = { account: AccountId, workspace: WorkspaceId };

/** Which ones are listed: their parent and their status. */
type Chosen = { readonly [name in keyof typeof parents | 'status']?: string };

interface Listing {
  /** What operators call one. */
  readonly noun: string;
  /** The parent of the elements. */
  readonly of?: keyof typeof parents;
  /** Whether those of all parents may be listed. */
  readonly isParentOptional?: true;
  /** Their order, and whether the list needs a scan. It does, unless given. */
  readonly order?: string;
  /** The statuses to choose from, if an element has one. */
  readonly statuses?: readonly string[];
  /** Reads them, unless a scan does. */
  readonly read?: (chosen: Chosen) => AsyncIterable<unknown>;
  /** The schema of an element, with the members that are printed as JSON. */
  readonly schema: z.ZodMiniType<object>;
  /** The members that a person reads. */
  readonly shown: readonly string[];
  readonly example: string;
}

/** The order of items that no index lists: an operator can wait for a scan. */
export const byScan =
  'in no particular order. This reads the whole table, or until --limit is reached';

export const listCommand = (listing: Listing): AnyCommand => {
  const {
    noun,
    of,
    isParentOptional = false,
    order = byScan,
    statuses,
    read = (chosen: Chosen) => scanType(noun.toUpperCase().replace(' ', '_'), chosen),
    schema,
    shown,
    example,
  } = listing;
  const nouns = pluralOf(noun);
  const command = new Command('list')
    .description(
      `List the ${nouns}${of ? ` of one ${of}${isParentOptional ? ', or of all' : ''}` : ''}, ${order}.`,
    )
    .option(
      '--limit <number>',
      'how many to list (default: all)',
      numberBetween(1, Number.MAX_SAFE_INTEGER, 'Give a whole number from 1.'),
    );
  if (of) {
    const option = new Option(`--${of} <id>`, `the ${of}`).argParser(argument(parents[of]));
    command.addOption(option.makeOptionMandatory(!isParentOptional));
  }
  if (statuses) {
    command.addOption(new Option('--status <status>', 'only these').choices(statuses));
  }
  return serve(command, examples(example), async (_, options) => {
    const { account, workspace, status } = options as Chosen;
    if (account) await requireAccount(account);
    if (workspace) await requireWorkspace(workspace);
    const found: object[] = [];
    for await (const item of countOnTerminal(nouns, read({ account, workspace, status }))) {
      if (found.push(schema.parse(item)) === options.limit) break;
    }
    if (found.length === options.limit) {
      console.error(`These are the first ${found.length}: there may be more.`);
    }
    return {
      value: found,
      text: () => (found.length > 0 ? columns(found, shown) : `No ${nouns}.`),
    };
  });
};
