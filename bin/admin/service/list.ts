import { Command, Option } from 'commander';
import * as z from 'zod/mini';
import { requireAccount, requireWorkspace } from '../table/find.ts';
import { type Item, type Key, scanType } from '../table/scan.ts';
import { printList } from '../terminal/print-list.ts';
import { argument } from './argument.ts';
import { examples, type Options } from './options.ts';
import { withService } from './with-service.ts';

/** What a list is asked for. */
export interface ListOptions extends Options {
  readonly account?: string;
  readonly workspace?: string;
  readonly limit?: number;
  readonly after?: string;
}

/** How to list things of one kind. */
interface Listing<T> {
  /** What is listed, in the plural. */
  readonly nouns: string;
  /** The parent of the elements, in brackets where it is optional. */
  readonly of?: '--account <id>' | '[--account <id>]' | '--workspace <id>';
  /** Their order, and whether the list needs a scan. */
  readonly order: string;
  readonly id: z.ZodMiniType<string>;
  readonly read: (options: ListOptions) => AsyncIterable<T>;
  /** The cells of a row under their headings. */
  readonly row: (element: T) => Readonly<Record<string, unknown>>;
  readonly example: string;
}

/** The order of items that no index lists: an operator can wait for a scan. */
export const byScan = 'in no particular order. This reads the table until the limit is reached';

/** The items of a type, as `read` reads them; `key` says where one with an id is in the table. */
export async function* scanned<T>(
  type: string,
  read: (item: Item) => T,
  key: (id: string) => Key,
  { account, workspace, after }: ListOptions,
): AsyncGenerator<T> {
  const items = scanType(type, { account, workspace }, after ? key(after) : undefined);
  for await (const item of items) yield read(item);
}

const wholeNumber = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,8}$/)), z.transform(Number));

/** The command `list` of a noun: the same options, paging and output for all nouns. */
export const listCommand = <T extends { readonly id: string }>(listing: Listing<T>): Command => {
  const { nouns, of, order, id, read, row, example } = listing;
  const command = new Command('list').description(`List ${nouns}, ${order}.`);
  if (of) {
    const flags = of.replace(/[[\]]/g, '');
    command.addOption(
      new Option(flags, `the ${flags.split(' ')[0]?.slice(2)} they belong to`).makeOptionMandatory(
        of === flags,
      ),
    );
  }
  return command
    .addOption(
      new Option('--limit <number>', 'the maximum number (default: all)').argParser(
        argument(wholeNumber, 'Give a whole number from 1.'),
      ),
    )
    .addOption(
      new Option(
        '--after <id>',
        'continue after this id, the last one of the page before',
      ).argParser(argument(id, 'Give an id such as the list has.')),
    )
    .addHelpText(
      'after',
      `\nWith --json, it prints one JSON array with an element on each line, as they are found.
${examples(example, `${example} --limit 100 --json`)}`,
    )
    .action(
      withService(async (_, options: ListOptions) => {
        if (options.account) await requireAccount(options.account);
        if (options.workspace) await requireWorkspace(options.workspace);
        const { count, last } = await printList(read(options), { ...options, nouns, row });
        if (last && count === options.limit) {
          console.error(`There may be more. For the next page, add --after ${last.id}`);
        }
      }),
    );
};
