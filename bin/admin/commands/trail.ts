import { Command } from '@commander-js/extra-typings';
import * as z from 'zod/mini';
import { recordedRequestId } from '../../../functions/domain/author.ts';
import { entriesOf, kinds, subjectKey, subjectKind, typesWith } from '../kinds/all.ts';
import type { Item, TrailEntry } from '../kinds/kind.ts';
import { examples, serve } from '../service/command.ts';
import { readRedactions } from '../table/redactions.ts';
import { filterBy, readPartition, scanInParallel } from '../table/scan.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { columns } from '../terminal/print.ts';

/** Shows who did what to a thing, or with a request. */
export const command = serve(
  new Command('trail')
    .description('Show who did what, with which request, and the outcome, in order of time.')
    .argument(
      '<id>',
      'the id of a payment request, approval, sandbox, offer, delivery attempt, token or request, or an operator',
    )
    .addHelpText(
      'after',
      `
The request id is the Request-Id of an answer, or run_… of an operator's command. A payment request or
an offer takes one query. Every other id takes a scan of the whole table, because an index would cost
every write another unit.
${examples('trail ofr_sent', 'trail 7b0cba9c-9f1d-4c9c-8ad9-6f7c7b1d3f25 --json', 'trail operator:jane')}`,
    ),
  z.object({
    id: z.string(),
    story: z.array(
      z.object({
        time: z.string(),
        what: z.string(),
        id: z.string(),
        actor: z.optional(z.string()),
        request: z.optional(z.string()),
        reason: z.optional(z.unknown()),
        details: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
  async (_, __, id) => {
    const entries = entriesOf(await itemsAbout(id));
    if (entries.length === 0) throw new AdminError(`The table has no record of ${id}.`);
    return { value: { id, story: entries }, text: () => entryTable(entries) };
  },
);

const itemsAbout = async (id: string): Promise<Item[]> => {
  if (subjectKind(id)) return withRedactions(id);
  const request = recordedRequestId(id);
  return scanInParallel(filterBy(places.join(' OR '), { id, request, ...sortKeys(id) }));
};

/** A payment request or an offer with its partition, and the redactions that name it. */
const withRedactions = async (id: string): Promise<Item[]> => {
  const items = await readPartition(subjectKey(id).pk);
  const workspace = items.find((item) => item.workspace)?.workspace;
  const redactions = workspace ? await readRedactions(String(workspace)) : [];
  return [...items, ...redactions.filter(({ ids }) => (ids as string[]).includes(id))];
};

/** What an act about an item with an event has as `item`, by the type of that item. */
const sortKeys = (id: string): Record<string, string> =>
  Object.fromEntries(
    typesWith('published').map((type) => [type.toLowerCase(), kinds[type]?.key({ id }).sk ?? '']),
  );

/** The attributes in which an item may name the identifier that an operator looks up. */
const places = [
  ...['id', 'sandbox', 'delivery'].map((name) => `${name} = :id`),
  `#item IN (${Object.keys(sortKeys('')).map((name) => `:${name}`)})`,
  'request_id = :request',
  ...['author', 'imported', ...Object.values(kinds).flatMap(({ acts = [] }) => acts)].flatMap(
    (act) => [`${act}.actor = :id`, `${act}.#request = :request`],
  ),
];

const entryTable = (entries: readonly TrailEntry[]): string =>
  columns(
    entries.map(({ time, what, id, actor, request, reason, details }) => ({
      time,
      what,
      id,
      actor,
      request,
      reason,
      details: Object.entries(details)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => `${name}=${value}`)
        .join(' '),
    })),
  );
