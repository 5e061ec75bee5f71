import { type Hook, report } from './release/report.ts';
import { validate } from './release/validate.ts';
import { measured } from './telemetry/metrics.ts';

/**
 * Runs before CodeDeploy lets calls reach a new version. It calls every version that is to be
 * released with an event that has no effect; if one does not answer as it should, the deployment
 * fails before any request reaches it.
 */
export const handler = measured(async (hook: Hook): Promise<void> => {
  await report(hook, await validate());
});
