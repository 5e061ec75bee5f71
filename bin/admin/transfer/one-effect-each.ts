import { AuthorCheck } from '../table/author-check.ts';
import { scanPartitions } from '../table/scan.ts';
import { counted } from '../terminal/progress.ts';
import type { EntryReader } from './entry.ts';

/** The authors of everything in the table. */
export const readAuthors = async (): Promise<AuthorCheck> => {
  const authors = new AuthorCheck();
  const partitions = counted('items read', scanPartitions(), ({ length }) => length);
  for await (const partition of partitions) authors.add(partition);
  return authors;
};

/** A reader to which a line is bad if its request is known to have made another effect. */
export const oneEffectEach = (reader: EntryReader, authors: AuthorCheck): EntryReader => ({
  ...reader,
  read: (value) => {
    const entry = reader.read(value);
    if (Array.isArray(entry)) return entry;
    const [violation] = authors.add([entry.item]);
    if (!violation) return entry;
    return [{ pointer: '/author/request', code: 'exists_otherwise', detail: violation.detail }];
  },
});
