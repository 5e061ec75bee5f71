import { setTimeout as sleep } from 'node:timers/promises';
import { decodeTime } from 'ulid';
import { count } from '../admin/print.ts';
import { type Check, requireWorld } from './check.ts';
import { Failure } from './failure.ts';
import { abandonedAfterMs, findAbandoned, findOwned, findPending, removeRun } from './owned.ts';
import type { World } from './world.ts';

/** For what still waits for a message or for SES. */
const patienceMs = 15_000;
const pauseMs = 500;

/** Removes the data of the run and of killed runs. It is the last check of a run. */
export const cleanUp: Check = {
  name: 'clean-up',
  proves: 'nothing is left behind',
  run: async (context) => {
    const world = requireWorld(context);
    const abandoned = await findAbandoned();
    for (const run of abandoned) await removeRun(world.service, run);
    const pending = await waitForPending(world);
    if (pending.length > 0)
      throw new Failure(`${pending.join(', ')}. ${describeLeftData(world.run)}`);
    await removeRun(world.service, await findOwned(world.run));
    if (abandoned.length === 0) return undefined;
    return `and ${count(abandoned.length, 'killed run')} removed`;
  },
};

/** Takes the place of the clean-up when a check may still write. */
export const leaveData: Check = {
  ...cleanUp,
  run: (context) => {
    const { run } = requireWorld(context);
    throw new Failure(`A check that did not end may still write. ${describeLeftData(run)}`);
  },
};

const waitForPending = async ({ run, deployed }: World): Promise<readonly string[]> => {
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
  return `The run leaves its data (accounts, workspaces and more with smoke_${run} in their ids). A run after ${removable}Z removes it.`;
};
