import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import * as z from 'zod/mini';
import { type Key, scanType } from '../table/scan.ts';
import { requireAccount, requireWorkspace } from '../table/tenant-items.ts';
import { aligned, type Cells, headings } from '../terminal/print.ts';
import { argument, examples, type Options, withService } from './command.ts';

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
  readonly row: (element: T) => Cells;
  readonly example: string;
}

/** The order of items that no index lists: an operator can wait for a scan. */
export const byScan = 'in no particular order. This reads the table until the limit is reached';

/** The items of a type, parsed; `key` says where one with an id is in the table. */
export async function* scanned<T>(
  type: string,
  schema: z.ZodMiniType<T>,
  key: (id: string) => Key,
  { account, workspace, after }: ListOptions,
): AsyncGenerator<T> {
  const items = scanType(type, { account, workspace }, after ? key(after) : undefined);
  for await (const item of items) yield schema.parse(item);
}

const wholeNumber = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,8}$/)), z.transform(Number));

/** The command `list` of a noun: the same options, paging and output for all nouns. */
export const listCommand = <T extends { readonly id: string }>(listing: Listing<T>): Command => {
  const { nouns, of, order, id, read, example } = listing;
  const command = new Command('list').description(`List ${nouns}, ${order}.`);
  if (of) {
    const flags = of.replace(/[[\]]/g, '');
    const parent = new Option(flags, `the ${flags.split(' ')[0]?.slice(2)} they belong to`);
    command.addOption(parent.makeOptionMandatory(of === flags));
  }
  return command
    .option(
      '--limit <number>',
      'the maximum number (default: all)',
      argument(wholeNumber, 'Give a whole number from 1.'),
    )
    .option(
      '--after <id>',
      'continue after this id, the last one of the page before',
      argument(id, 'Give an id such as the list has.'),
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
        await printList(read(options), options, listing);
      }),
    );
};

/** Prints elements as they come, however many there are: as one JSON array, or as a table. */
const printList = async <T extends { readonly id: string }>(
  elements: AsyncIterable<T>,
  { json, limit }: ListOptions,
  listing: Listing<T>,
): Promise<void> => {
  let count = 0;
  let last: T | undefined;
  async function* taken() {
    for await (const element of elements) {
      count += 1;
      last = element;
      yield element;
      if (count === limit) return;
    }
  }
  const text = json ? jsonArray(taken()) : tableParts(taken(), listing);
  await pipeline(Readable.from(text), process.stdout, { end: false });
  if (last && count === limit) {
    console.error(`There may be more. For the next page, add --after ${last.id}`);
  }
};

async function* jsonArray(elements: AsyncIterable<unknown>): AsyncGenerator<string> {
  let before = '[';
  for await (const element of elements) {
    yield `${before}\n${JSON.stringify(element)}`;
    before = ',';
  }
  yield before === '[' ? '[]\n' : '\n]\n';
}

/** Columns are as wide as these first rows need; wider cells that come later widen what follows. */
const rowsPerPart = 100;

async function* tableParts<T>(
  elements: AsyncIterable<T>,
  { nouns, row }: Listing<T>,
): AsyncGenerator<string> {
  const widths: number[] = [];
  let rows: unknown[][] | undefined;
  for await (const element of elements) {
    const cells = row(element);
    rows ??= [headings(cells)];
    rows.push(Object.values(cells));
    if (rows.length > rowsPerPart) yield `${aligned(rows.splice(0), widths)}\n`;
  }
  if (!rows) yield `No ${nouns}.\n`;
  else if (rows.length > 0) yield `${aligned(rows, widths)}\n`;
}
