import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel, parallelCalls } from './in-parallel.ts';
import { type Expectation, inspect, type Violation } from './invariants.ts';
import { type Item, readPartition, scanPartitions } from './scan.ts';
import { readAll } from './write.ts';

const looks = 3;
const pauseMs = 300;

/** What was found in so many items. */
export interface Findings {
  readonly items: number;
  readonly violations: readonly Violation[];
}

/**
 * Looks at every item of the table for violated invariants, and yields what it finds.
 *
 * The service goes on writing meanwhile, and what a scan sees is of no one moment. So where
 * something looks wrong, the partition is read again, a few times: only what stays wrong is
 * reported.
 */
export async function* verifyTable(): AsyncGenerator<Findings> {
  const now = new Date();
  yield* inParallel(scanPartitions(), parallelCalls, async (partition) => {
    const { violations, expectations } = inspect(partition, now);
    const lasting = violations.length > 0 ? await recheck(partition, now) : [];
    const missing = await missingOf(expectations);
    return { items: partition.length, violations: [...lasting, ...missing] };
  });
}

/** All violations in the table. */
export const findViolations = async (): Promise<Violation[]> => {
  const found = await Array.fromAsync(verifyTable());
  return found.flatMap(({ violations }) => violations);
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

const missingOf = async (expectations: readonly Expectation[]): Promise<Violation[]> => {
  const found = await readAll(expectations.map(({ key }) => key));
  return expectations.filter((_, index) => !found[index]).map((each) => each.violation);
};
