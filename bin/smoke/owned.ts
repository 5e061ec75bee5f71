import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { decodeTime } from 'ulid';
import { DeliveryAttempt, type DeliveryStatus, Offer } from '../../functions/domain/offer.ts';
import { fixtures, Sandbox } from '../../functions/domain/sandbox.ts';
import { documents, table } from '../../functions/store/client.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { closeEventTap } from '../admin/events/event-tap.ts';
import type { Service } from '../admin/service/connect.ts';
import { createAll } from '../admin/table/bulk.ts';
import { inParallel } from '../admin/table/in-parallel.ts';
import { type Item, readPartition } from '../admin/table/scan.ts';
import { AdminError } from '../admin/terminal/admin-error.ts';
import { countOf } from '../admin/terminal/print.ts';

/**
 * One partition of the table registers what the runs have made, with an item for each partition
 * that belongs to a run. So the data of a killed run is found without a scan.
 */
const registerKey = 'SMOKE';

const ownedItem = (run: string, partition: string) => ({
  pk: registerKey,
  sk: `RUN#${run}#${partition}`,
  type: 'SMOKE',
  run,
  partition,
});

/** Registers partitions as those of a run, before anything is written to them. */
export const register = async (run: string, ...partitions: readonly string[]): Promise<void> => {
  await createAll(partitions.map((partition) => ownedItem(run, partition)));
};

/** The name of a run's event tap, which is registered as a partition is. */
export const tapOf = (run: string): string => `smoke-${run}`;

/** Requests to the table at once. */
const workers = 10;

/** A run, and the partitions that belong to it. */
interface SmokeRun {
  readonly run: string;
  readonly partitions: readonly string[];
}

/** Longer than a run, and than a queue retries a message (5 times, 180 s apart). */
export const abandonedAfterMs = 30 * 60 * 1000;

/** The runs whose data is not removed. */
const readRuns = async (): Promise<SmokeRun[]> => {
  const items = await readPartition(registerKey);
  return [...Map.groupBy(items, ({ run }) => String(run))].map(([run, entries]) => ({
    run,
    partitions: entries.map(({ partition }) => String(partition)),
  }));
};

/** Finds the runs that were killed, by the time in their ids. */
const findAbandoned = async (): Promise<SmokeRun[]> =>
  (await readRuns()).filter(({ run }) => Date.now() - decodeTime(run) > abandonedAfterMs);

/** Finds the partitions of a run. */
export const findOwned = async (run: string): Promise<SmokeRun> =>
  (await readRuns()).find((each) => each.run === run) ?? { run, partitions: [] };

/**
 * Finds what a message or an event may still be about. If it were removed, the consumer would not
 * find it, and an alarm would report that.
 */
const findPending = async ({ partitions }: SmokeRun): Promise<string[]> => {
  const all = await readPartitions(partitions);
  return all.flatMap((items) => {
    const offer = items.find(({ type }) => type === 'OFFER');
    const fate = offer && simulatorFates.get(Offer.parse(offer).recipient_email);
    return items.flatMap((item) => {
      const { type, id, status } = item;
      if (type === 'SANDBOX') return status === 'ready' ? [] : [`${id} is ${status}`];
      if (type !== 'DELIVERY') return [];
      // Of a mail to another address, which the local run may send, nothing is reported.
      const ends: DeliveryStatus[] = ['failed', 'simulated', fate ?? 'sent'];
      return ends.includes(DeliveryAttempt.parse(item).status) ? [] : [`${id} is ${status}`];
    });
  });
};

/** Removes everything that belongs to a run, and its registration last. */
export const removeRun = async (service: Service, { run, partitions }: SmokeRun): Promise<void> => {
  if (partitions.includes(tapOf(run))) await closeEventTap(service, tapOf(run));
  await removePartitions(partitions);
  await removeItems(partitions.map((partition) => ownedItem(run, partition)));
};

const removePartitions = async (partitions: readonly string[]): Promise<void> => {
  const items = (await readPartitions(partitions)).flat();
  const sandboxes = items
    .filter(({ type }) => type === 'SANDBOX')
    .map((item) => Sandbox.parse(item));
  const inside = sandboxes.flatMap((sandbox) =>
    fixtureItems(fixtures(sandbox, sandbox.created)).map(({ pk }) => String(pk)),
  );
  // Only the sandbox leads to what is in its test workspace.
  if (inside.length > 0) await removePartitions([...new Set(inside)]);
  await removeItems(items);
};

const readPartitions = (partitions: readonly string[]): Promise<Item[][]> =>
  Array.fromAsync(inParallel(partitions, workers, readPartition));

const removeItems = async (items: readonly Item[]): Promise<void> => {
  const removals = inParallel(items, workers, ({ pk, sk }) =>
    documents.send(new DeleteCommand({ TableName: table(), Key: { pk, sk } })),
  );
  await Array.fromAsync(removals);
};

/** How long clean-up waits for pending messages and for SES. */
const patienceMs = 15_000;
const pauseMs = 500;

/**
 * Removes the data of a run, which has ended, and of killed runs.
 *
 * @returns a sentence about it
 * @throws AdminError when a message may still be about something, which is left
 */
export const cleanUp = async (service: Service, run: string): Promise<string> => {
  const abandoned = await findAbandoned();
  for (const killed of abandoned) await removeRun(service, killed);
  const pending = await waitForPending(run);
  if (pending.length > 0) throw new AdminError(`${pending.join(', ')}. ${describeLeftData(run)}`);
  await removeRun(service, await findOwned(run));
  const others = abandoned.length > 0 ? ` and of ${countOf(abandoned.length, 'killed run')}` : '';
  return `The data of the run${others} was removed.`;
};

const waitForPending = async (run: string): Promise<readonly string[]> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const pending = await findPending(await findOwned(run));
    if (pending.length === 0 || Date.now() >= deadline) return pending;
    await sleep(pauseMs);
  }
};

/** Says what a run leaves that ends early, and until when. */
export const describeLeftData = (run: string): string => {
  const removable = new Date(decodeTime(run) + abandonedAfterMs).toISOString().slice(0, 16);
  return `The run leaves its data (workspaces, offers and more with smoke_${run} in their ids). A run after ${removable}Z removes it.`;
};

/**
 * The addresses of Amazon SES's mailbox simulator, and what SES reports of a mail to each. They
 * work in the SES sandbox too, and count for no reputation (SES Developer Guide, "Using the mailbox
 * simulator").
 */
export const simulatorFates: ReadonlyMap<string, DeliveryStatus> = new Map([
  ['success@simulator.amazonses.com', 'delivered'],
  ['bounce@simulator.amazonses.com', 'bounced'],
  ['complaint@simulator.amazonses.com', 'complained'],
  ['suppressionlist@simulator.amazonses.com', 'bounced'],
]);
