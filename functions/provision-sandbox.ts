import { ProvisionSandbox } from './domain/messages.ts';
import { fixtures } from './domain/sandbox.ts';
import { consumer } from './queue/consumer.ts';
import { retry } from './store/conflict.ts';
import { findSandbox, saveReadySandbox } from './store/sandboxes.ts';
import { recordProvisioningTime } from './telemetry/metrics.ts';

/** A provisioning sandbox gets its test workspace and becomes ready, in one transaction. */
export const handler = consumer(
  ProvisionSandbox,
  { idsIn: ({ message }) => message },
  ({ workspace, sandbox: id }) =>
    // A conflict may be one with this write, whose response was lost.
    retry(async () => {
      const found = await findSandbox(workspace, id);
      if (!found) throw new Error(`There is no sandbox ${id}.`);
      const { sandbox, author } = found;
      if (sandbox.status === 'ready') return;
      const now = new Date().toISOString();
      await saveReadySandbox(sandbox, fixtures(sandbox, now), now, author);
      recordProvisioningTime(Date.parse(now) - Date.parse(sandbox.created));
    }),
);
