import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from '../../../functions/domain/item.ts';
import { countOnTerminal } from '../../command-line/progress.ts';
import { smokeRun } from '../../smoke/smoke-names.ts';
import { inParallel, parallelCalls } from '../table/in-parallel.ts';
import { inspect, type Violation } from '../table/invariants.ts';
import { readPartition, scanPartitions } from '../table/scan.ts';
import { readEach } from '../table/write.ts';

const looks = 3;
const pauseMs = 300;

/**
 * Looks at every item of the table for violated invariants.
 *
 * The service goes on writing meanwhile, and what a scan sees is of no one moment. So where
 * something looks wrong, the partition is read again, a few times: only what stays wrong is
 * reported.
 *
 * @returns what it has found in so many items; what a run of the smoke test has left, as one
 * violation
 */
export const verifyTable = async () => {
  const now = new Date();
  const violations: Violation[] = [];
  const left = new Map<string, Violation>();
  let items = 0;
  const looking = inParallel(scanPartitions(), parallelCalls, async (partition) => {
    const { violations: seen, expectations } = inspect(partition, now);
    const lasting = seen.length > 0 ? await recheck(partition, now) : [];
    const needed = await Array.fromAsync(readEach(expectations.map(({ key }) => key)));
    const missing = expectations.filter((_, index) => !needed[index]).map((each) => each.violation);
    return { size: partition.length, found: [...lasting, ...missing] };
  });
  for await (const { size, found } of countOnTerminal('partitions', looking)) {
    items += size;
    for (const each of found) {
      const run = smokeRun.exec(each.pk)?.[1];
      if (run) left.set(run, leftBy(run, each));
      else violations.push(each);
    }
  }
  return { items, violations: [...violations, ...left.values()] };
};

const leftBy = (run: string, first: Violation): Violation => {
  const detail = `The run ${run} has left items that violate invariants, with smoke_${run} in their keys.`;
  return { ...first, code: 'left_by_smoke_test', detail };
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
