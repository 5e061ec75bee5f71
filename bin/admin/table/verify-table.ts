import { setTimeout as sleep } from 'node:timers/promises';
import { Author } from '../../../functions/domain/author.ts';
import { kindOf, opaqueOf } from '../kinds/all.ts';
import { type Exclusive, type Item, type Violation, violation } from '../kinds/kind.ts';
import { batchSize, readAll } from './bulk.ts';
import { DiskMap } from './disk-map.ts';
import { inParallel } from './in-parallel.ts';
import { type Expectation, inspect } from './invariants.ts';
import { readPartition, scanPartitions } from './scan.ts';

/** Many, because most of a recheck is waiting. */
const workers = 32;
const looks = 3;
const pauseMs = 300;

/** What was found in so many items. */
export interface Findings {
  readonly items: number;
  readonly violations: readonly Violation[];
}

/**
 * Looks at every item of the table for things that are wrong with it, and yields what it finds.
 *
 * The service goes on writing meanwhile, and what a scan sees is of no one moment. So where
 * something looks wrong, the partition is read again, a few times: only what stays wrong is
 * reported.
 */
export async function* verifyTable(): AsyncGenerator<Findings> {
  const now = new Date();
  const holders = new Holders();
  const expectations: Expectation[] = [];
  const inspected = inParallel(scanPartitions(), workers, async (partition) => {
    const { violations, expectations } = inspect(partition, now);
    const lasting = violations.length > 0 ? await recheck(partition, now) : [];
    return { partition, violations: lasting, expectations };
  });
  for await (const { partition, violations, expectations: more } of inspected) {
    const shared = partition.flatMap((item) => holders.add(item));
    yield { items: partition.length, violations: [...violations, ...shared] };
    expectations.push(...more);
    while (expectations.length >= batchSize) yield await check(expectations.splice(0, batchSize));
  }
  while (expectations.length > 0) yield await check(expectations.splice(0, batchSize));
}

/** All violations in the table. */
export const findViolations = async (): Promise<Violation[]> => {
  const found: Violation[] = [];
  for await (const { violations } of verifyTable()) found.push(...violations);
  return found;
};

/** The violations that remain after a partition has been read again, a few times. */
const recheck = async (partition: readonly Item[], now: Date): Promise<readonly Violation[]> => {
  let violations: readonly Violation[] = [];
  for (let look = 0; look < looks; look++) {
    if (look > 0) await sleep(pauseMs);
    violations = inspect(await readPartition(String(partition[0]?.pk)), now).violations;
    if (violations.length === 0) break;
  }
  return violations;
};

const check = async (group: readonly Expectation[]): Promise<Findings> => {
  const found = await readAll(group.map(({ key }) => key));
  const missing = group.filter((_, index) => !found[index]);
  return { items: 0, violations: missing.map((each) => each.violation) };
};

/** Finds what items of two holders have, such as the request that made them. */
class Holders {
  readonly #first = new DiskMap<{ readonly holder: string; readonly id: unknown }>();

  /** @returns what is wrong with an item beside those that were added before */
  add(item: Item): Violation[] {
    return [requestOf(item), kindOf(item)?.exclusive?.(item)].flatMap((held) => {
      if (!held) return [];
      const { name, holder, code } = held;
      const key = { pk: name, sk: code };
      const first = this.#first.get(key);
      if (!first) this.#first.set(key, { holder, id: item.id });
      if (!first || first.holder === holder) return [];
      return [violation(code, item, `${name} is of both ${first.id} and ${item.id}.`)];
    });
  }
}

/**
 * An operator's command may make many items. A request makes one, or a sandbox and later all that
 * is made for it, whose ids have the same opaque part.
 */
const requestOf = (item: Item): Exclusive | undefined => {
  const { data: author } = Author.safeParse(item.author);
  if (!author) return undefined;
  const { actor, request } = author;
  return {
    name: request,
    holder: actor.startsWith('operator:') ? actor : `${actor} ${opaqueOf(item)}`,
    code: 'request_with_two_effects',
  };
};
