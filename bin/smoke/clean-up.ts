import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTime } from 'ulid';
import type { Service } from '../admin/service/connect.ts';
import { AdminError } from '../admin/terminal/admin-error.ts';
import { count } from '../admin/terminal/print.ts';
import { abandonedAfterMs, findAbandoned, findOwned, findPending, removeRun } from './owned.ts';

/** How long clean-up waits for pending messages and for SES. */
const patienceMs = 15_000;
const pauseMs = 500;

/**
 * Removes the data of a run, which has ended, and of killed runs.
 *
 * @param deployed whether SES reports what becomes of a mail
 * @returns a sentence about it
 * @throws AdminError when a message may still be about something, which is left
 */
export const cleanUp = async (
  service: Service,
  run: string,
  deployed: boolean,
): Promise<string> => {
  const abandoned = await findAbandoned();
  for (const killed of abandoned) await removeRun(service, killed);
  const pending = await waitForPending(run, deployed);
  if (pending.length > 0) throw new AdminError(`${pending.join(', ')}. ${describeLeftData(run)}`);
  await removeRun(service, await findOwned(run));
  const others = abandoned.length > 0 ? ` and of ${count(abandoned.length, 'killed run')}` : '';
  return `The data of the run${others} was removed.`;
};

const waitForPending = async (run: string, deployed: boolean): Promise<readonly string[]> => {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const pending = await findPending(await findOwned(run), deployed);
    if (pending.length === 0 || Date.now() >= deadline) return pending;
    await sleep(pauseMs);
  }
};

/** Says what a run leaves that ends early, and until when. */
export const describeLeftData = (run: string): string => {
  const removable = new Date(decodeTime(run) + abandonedAfterMs).toISOString().slice(0, 16);
  return `The run leaves its data (workspaces, offers and more with smoke_${run} in their ids). A run after ${removable}Z removes it.`;
};
