import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from '@commander-js/extra-typings';
import type { Command as AnyCommand } from 'commander';
import * as z from 'zod/mini';
import { AccountId, WorkspaceId } from '../../../functions/domain/identifiers.ts';
import type { Kind } from '../kinds/kind.ts';
import { scanType } from '../table/scan.ts';
import { requireAccount, requireWorkspace } from '../table/tenant-items.ts';
import { aligned, pluralOf } from '../terminal/print.ts';
import { argument, examples, type Options, serve } from './command.ts';

/** The parent of what is listed. */
export interface Parent {
  readonly account?: string;
  readonly workspace?: string;
}

/** A member, or a heading and its cells. */
type Column<T> = (keyof T & string) | readonly [heading: string, cell: (element: T) => unknown];

/** How to list things of one kind. */
export interface Listing<T> {
  readonly kind: Kind;
  /** The parent of the elements, in brackets where it is optional. */
  readonly of?: '--account <id>' | '[--account <id>]' | '--workspace <id>';
  /** Their order, and whether the list needs a scan. */
  readonly order: string;
  /** The schema of an element. */
  readonly element: z.ZodMiniType<T>;
  /** By a scan of the items of the kind, unless given. */
  readonly read?: (parent: Parent) => AsyncIterable<unknown> | Iterable<unknown>;
  /** What a person reads. */
  readonly columns: readonly Column<T>[];
  readonly example: string;
}

/** The order of items that no index lists: an operator can wait for a scan. */
export const byScan = 'in no particular order. This reads the table until the limit is reached';

const wholeNumber = z.pipe(z.string().check(z.regex(/^[1-9]\d{0,8}$/)), z.transform(Number));

/** The command `list` of a noun: the same options and output for all nouns. */
export const listCommand = <T>(listing: Listing<T>): AnyCommand => {
  const { kind, of, order, element, example } = listing;
  const { read = (parent: Parent) => scanType(kind.type, { ...parent }) } = listing;
  const command = new Command('list')
    .description(`List ${pluralOf(kind.noun)}, ${order}.`)
    .option(
      '--limit <number>',
      'the maximum number (default: all)',
      argument(wholeNumber, 'Give a whole number from 1.'),
    )
    .addHelpText(
      'after',
      `\nWith --json, it prints one JSON array with an element on each line, as they are found.
${examples(example, `${example} --limit 100 --json`)}`,
    );
  if (of) command.addOption(parentOption(of));
  return serve(command, z.array(element), async (_, options) => {
    const { account, workspace, limit, json } = options as Options & Parent & { limit?: number };
    if (account) await requireAccount(account);
    if (workspace) await requireWorkspace(workspace);
    const elements = parsed(read({ account, workspace }), element, limit);
    const text = json ? jsonArray(elements) : tableParts(elements, listing);
    await pipeline(Readable.from(text), process.stdout, { end: false });
  });
};

const parentOption = (of: string): Option => {
  const flags = of.replace(/[[\]]/g, '');
  const name = flags === '--account <id>' ? 'account' : 'workspace';
  return new Option(flags, `the ${name} they belong to`)
    .argParser(argument(name === 'account' ? AccountId : WorkspaceId))
    .makeOptionMandatory(of === flags);
};

async function* parsed<T>(
  elements: AsyncIterable<unknown> | Iterable<unknown>,
  schema: z.ZodMiniType<T>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<T> {
  let count = 0;
  for await (const element of elements) {
    yield schema.parse(element);
    count += 1;
    if (count === limit) {
      console.error(`These are the first ${count.toLocaleString('en')}: there may be more.`);
      return;
    }
  }
}

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
  { kind, columns }: Listing<T>,
): AsyncGenerator<string> {
  const widths: number[] = [];
  const headings = columns.map((column) => (typeof column === 'string' ? column : column[0]));
  let rows: unknown[][] = [headings.map((heading) => heading.toUpperCase())];
  let isEmpty = true;
  for await (const element of elements) {
    isEmpty = false;
    rows.push(columns.map((column) => cellOf(element, column)));
    if (rows.length <= rowsPerPart) continue;
    yield `${aligned(rows, widths)}\n`;
    rows = [];
  }
  if (isEmpty) yield `No ${pluralOf(kind.noun)}.\n`;
  else if (rows.length > 0) yield `${aligned(rows, widths)}\n`;
}

const cellOf = <T>(element: T, column: Column<T>): unknown =>
  typeof column === 'string' ? element[column] : column[1](element);
