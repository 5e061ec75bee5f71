import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { decodeTime } from 'ulid';
import { DeliveryAttempt, type DeliveryStatus, Offer } from '../../functions/domain/offer.ts';
import { fixtures, Sandbox } from '../../functions/domain/sandbox.ts';
import { documents, table } from '../../functions/store/client.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { inParallel, parallelCalls } from '../admin/table/in-parallel.ts';
import { filterBy, type Item, readPartition, scan } from '../admin/table/scan.ts';
import { AdminError } from '../command-line/admin-error.ts';
import type { Service } from '../command-line/connect.ts';
import { countOf } from '../command-line/print.ts';
import { closeEventTap } from './event-tap.ts';
import { smokeMark, smokeRunOf } from './smoke-names.ts';

/** Kept among the partitions of a run that has an event tap. */
export const tapMark = 'EVENT_TAP';

/**
 * The name of a run's event tap, with the stage that the bus names: no stage has an underscore, so
 * that a policy for `smoke-eu_*` does not reach the stage `eu-prod`.
 */
export const tapOf = (bus: string, run: string): string =>
  `smoke-${bus.split('/WorkforcePayments-').at(-1)}_${run}`;

/** A run, and the partitions whose items belong to it. */
export interface SmokeRun {
  readonly run: string;
  readonly partitions: readonly string[];
}

/** Notes partitions as those of a run in its file, before anything is written to them. */
export const own = (file: string, ...partitions: readonly string[]): void =>
  appendFileSync(file, partitions.map((each) => `${each}\n`).join(''));

/** The partitions in the file of a run, so that a run that ends needs no scan. */
export const ownedIn = (file: string): string[] =>
  readFileSync(file, 'utf8').split('\n').slice(0, -1);

/** The runs that have left data, by a scan of the whole table: a run that was killed needs it. */
export const findRuns = async (): Promise<SmokeRun[]> => {
  const items = await Array.fromAsync(scan(possiblyOwned));
  // The test workspace of a sandbox is named like any other's.
  const owners = new Map(
    items
      .filter(({ type }) => type === 'SANDBOX')
      .map(({ pk, sandbox_workspace }) => [sandbox_workspace, smokeRunOf(pk)]),
  );
  const owned = items.flatMap(({ pk, type, workspace }) => {
    const isHashed = type === 'TOKEN' || type === 'CLAIM';
    const run = isHashed ? (smokeRunOf(workspace) ?? owners.get(workspace)) : smokeRunOf(pk);
    return run ? [{ run, pk: String(pk) }] : [];
  });
  return [...Map.groupBy(owned, ({ run }) => run)].map(([run, found]) => ({
    run,
    partitions: [tapMark, ...new Set(found.map(({ pk }) => pk))],
  }));
};

/** Items with keys like those of a run, and the tokens and claims, whose keys are hashes. */
const possiblyOwned = {
  ...filterBy(
    'contains(pk, :mark) OR (#type IN (:token, :claim) AND (contains(workspace, :mark) OR begins_with(workspace, :test)))',
    { mark: smokeMark, test: 'wsp_test_', token: 'TOKEN', claim: 'CLAIM' },
  ),
  ProjectionExpression: 'pk, #type, workspace, sandbox_workspace',
};

/**
 * Finds what a message or an event may still be about. If it were removed, the consumer would not
 * find it, and an alarm would report that.
 */
const findPending = async (partitions: readonly string[]): Promise<string[]> => {
  const all = await readPartitions(partitions);
  return all.flatMap((items) => {
    const offer = items.find(({ type }) => type === 'OFFER');
    const result = offer && simulatorResults.get(Offer.parse(offer).recipient_email);
    return items.flatMap((item) => {
      const { type, id, status } = item;
      if (type === 'SANDBOX') return status === 'ready' ? [] : [`${id} is ${status}`];
      if (type !== 'DELIVERY') return [];
      // Of a mail to another address, which the local run may send, nothing is reported.
      const ends: DeliveryStatus[] = ['failed', 'simulated', result ?? 'sent'];
      return ends.includes(DeliveryAttempt.parse(item).status) ? [] : [`${id} is ${status}`];
    });
  });
};

/** Longer than a run, and than a queue retries a message (5 times, 180 s apart). */
const settledAfterMs = 30 * 60 * 1000;

/** How long a clean-up waits for pending messages and for SES. */
const patienceMs = 15_000;
const pauseMs = 500;

/** @returns what is still pending after so many milliseconds */
const waitForPending = async (
  { run, partitions }: SmokeRun,
  waitMs: number,
): Promise<readonly string[]> => {
  if (Date.now() - decodeTime(run) > settledAfterMs) return [];
  const deadline = Date.now() + waitMs;
  for (;;) {
    const pending = await findPending(partitions);
    if (pending.length === 0 || Date.now() >= deadline) return pending;
    await sleep(pauseMs);
  }
};

/**
 * Removes everything that belongs to these runs. If it is interrupted, `findRuns` finds the rest.
 *
 * @param waitMs how long it waits for what is pending
 * @returns a sentence about it
 * @throws AdminError when a message may still be about something: the data of its run is left
 */
export const cleanUp = async (
  { eventBus }: Service,
  runs: readonly SmokeRun[],
  waitMs = patienceMs,
): Promise<string> => {
  const left: string[] = [];
  for (const each of runs) {
    const pending = await waitForPending(each, waitMs);
    if (pending.length > 0) left.push(`${pending.join(', ')}. ${describeLeftData(each.run)}`);
    else await removeRun(eventBus, each);
  }
  if (left.length > 0) throw new AdminError(left.join('\n'));
  return `The data of ${countOf(runs.length, 'run')} was removed.`;
};

const removeRun = async (eventBus: string | undefined, { run, partitions }: SmokeRun) => {
  // First, because only the data name the run. A version without events has no bus.
  if (partitions.includes(tapMark) && eventBus) await closeEventTap(eventBus, tapOf(eventBus, run));
  await removePartitions(partitions);
};

const removePartitions = async (partitions: readonly string[]): Promise<void> => {
  const items = (await readPartitions(partitions)).flat();
  const [sandboxes, others] = [true, false].map((isSandbox) =>
    items.filter(({ type }) => (type === 'SANDBOX') === isSandbox),
  ) as [Item[], Item[]];
  const inside = sandboxes
    .map((item) => Sandbox.parse(item))
    .flatMap((sandbox) => fixtureItems(fixtures(sandbox, sandbox.created)))
    .map(({ pk }) => String(pk));
  if (inside.length > 0) await removePartitions([...new Set(inside)]);
  await removeItems(others);
  // Only the sandbox leads to what is in its test workspace.
  await removeItems(sandboxes);
};

const readPartitions = (partitions: readonly string[]): Promise<Item[][]> =>
  Array.fromAsync(inParallel(partitions, parallelCalls, (pk) => readPartition(pk)));

const removeItems = async (items: readonly Item[]): Promise<void> => {
  const removals = inParallel(items, parallelCalls, ({ pk, sk }) =>
    documents.send(new DeleteCommand({ TableName: table(), Key: { pk, sk } })),
  );
  await Array.fromAsync(removals);
};

/** A sentence about the data that a run leaves when it ends early. */
export const describeLeftData = (run: string): string =>
  `The run leaves its data (workspaces, offers and more with smoke_${run} in their ids). \`bin/wfp smoke\` with --clean-up removes it.`;

/**
 * The addresses of Amazon SES's mailbox simulator, and what SES reports of a mail to each. They
 * work in the SES sandbox too, and count for no reputation (SES Developer Guide, "Using the mailbox
 * simulator").
 */
export const simulatorResults: ReadonlyMap<string, DeliveryStatus> = new Map([
  ['success@simulator.amazonses.com', 'delivered'],
  ['bounce@simulator.amazonses.com', 'bounced'],
  ['complaint@simulator.amazonses.com', 'complained'],
  ['suppressionlist@simulator.amazonses.com', 'bounced'],
]);
