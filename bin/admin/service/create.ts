import type { Author } from '../../../functions/domain/author.ts';
import type { Item, Kind } from '../kinds/kind.ts';
import { createAll } from '../table/bulk.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { reply } from '../terminal/report-error.ts';
import type { Result } from './command.ts';

/**
 * What `create` of a noun does at its end, the same for all nouns: stores the thing that it has
 * made, and prints its id.
 *
 * @throws AdminError when there is one with its id, or no reply came
 */
export const create = async <T extends { readonly id: string }>(
  kind: Kind,
  made: T,
  item: Item,
  author: Author,
): Promise<Result> => {
  const creating = createAll([{ ...item, author }]);
  const [creation] = await reply(`\`${kind.noun} show ${made.id}\` shows it.`, creating);
  if (creation?.result !== 'created') throw existsAlready(kind, made.id);
  return { value: made, text: () => made.id };
};

/** The error that there is a thing with this id. */
export const existsAlready = ({ noun }: Kind, id: string) =>
  new AdminError(`The ${noun} ${id} exists already.`);
