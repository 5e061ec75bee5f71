import { endTimes } from '../../../functions/store/attributes.ts';
import type { Item } from './scan.ts';

/**
 * A delivery attempt in each status that another one has followed. The reason of that status is not
 * kept.
 */
export const earlierEnds = (attempt: Item): Item[] =>
  Object.entries(endTimes)
    .filter(([status, time]) => status !== attempt.status && attempt[time])
    .map(([status, time]) => ({
      ...attempt,
      status,
      reason: undefined,
      updated: attempt[time],
    }));
