import { setTimeout as sleep } from 'node:timers/promises';
import { Progress } from '../terminal/progress.ts';
import { AuthorCheck } from './author-check.ts';
import { batchSize, readAll } from './bulk.ts';
import { inParallel } from './in-parallel.ts';
import { type Expectation, inspect, type Violation } from './invariants.ts';
import { type Item, readPartition, scanPartitions } from './scan.ts';

/** Many, because most of a recheck is waiting. */
const workers = 32;
const looks = 3;
const pauseMs = 300;

/**
 * Looks at every item of the table for things that are wrong with it.
 *
 * The service goes on writing meanwhile, and what a scan sees is of no one moment. So where
 * something looks wrong, the partition is read again, a few times: only what stays wrong is
 * reported.
 *
 * @param onViolation is called with each one when it is found
 * @returns all of them, and how many items there were
 */
export const verifyTable = async (
  onViolation: (violation: Violation) => void = () => {},
): Promise<{ readonly items: number; readonly violations: Violation[] }> => {
  const violations: Violation[] = [];
  const progress = new Progress('items');
  const now = new Date();
  const authors = new AuthorCheck();
  let items = 0;
  const expectations: Expectation[] = [];
  const report = (violation: Violation) => {
    progress.clear();
    violations.push(violation);
    onViolation(violation);
  };
  const check = async (group: readonly Expectation[]) => {
    const found = await readAll(group.map(({ key }) => key));
    for (const [index, { violation }] of group.entries()) if (!found[index]) report(violation);
  };

  const sizes = inParallel(scanPartitions(), workers, async (partition) => {
    const findings = inspect(partition, now);
    if (findings.violations.length > 0) (await recheck(partition, now)).forEach(report);
    authors.add(partition).forEach(report);
    expectations.push(...findings.expectations);
    while (expectations.length >= batchSize) await check(expectations.splice(0, batchSize));
    return partition.length;
  });
  for await (const size of sizes) {
    items += size;
    progress.show(items);
  }
  while (expectations.length > 0) await check(expectations.splice(0, batchSize));
  (await authors.unknownActors()).forEach(report);
  progress.clear();
  return { items, violations };
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
