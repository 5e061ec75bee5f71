import * as z from 'zod/mini';
import { isBeginning } from '../table/beginnings.ts';
import { keyOf, nameOf } from '../table/bulk.ts';
import { AdminError } from '../terminal/admin-error.ts';
import { readText } from '../terminal/read-text.ts';
import { parsedJson } from '../transfer/exact-json.ts';
import { broughtBack } from './brought-back.ts';
import type { Planning } from './plan.ts';
import type { Shelf } from './shelf.ts';

const item = z.looseObject({ pk: z.string(), sk: z.string() });
const Listed = z.object({ finding: z.literal('differs'), now: item, restored: item });
type Listed = z.infer<typeof Listed>;

/**
 * The lines of a report that a file holds.
 *
 * @throws AdminError when the file cannot be read, or a line is not one of an item that differs
 */
export const readListed = (file: string): Listed[] =>
  readText(file)
    .split('\n')
    .flatMap((line, index) => {
      if (!line.trim()) return [];
      const parsed = parsedJson(line);
      const { data } = Listed.safeParse('value' in parsed ? parsed.value : undefined);
      if (data) return [data];
      throw new AdminError(
        `line ${index + 1} of ${file}: Must be a line of --report whose finding is differs.`,
      );
    });

/** Plans to put items back to their restored state, which a report has listed as different. */
export const shelveListed = (
  shelf: Shelf,
  listed: readonly Listed[],
  { by, redact, onFinding }: Pick<Planning, 'by' | 'redact' | 'onFinding'>,
): void => {
  for (const { now, restored } of listed) {
    const hasWaited = now.type === 'DELIVERY' || now.type === 'SANDBOX';
    if (hasWaited && isBeginning(restored) && !isBeginning(now)) {
      const detail = `${nameOf(now)} is ${now.status}, which is final: the restored status ${restored.status} is not put back.`;
      onFinding({ finding: 'not_put_back', ...keyOf(now), detail });
    } else shelf.add({ before: now, after: redact(broughtBack(restored, by, now)) });
  }
};
