import {
  CodeDeployClient,
  PutLifecycleEventHookExecutionStatusCommand,
} from '@aws-sdk/client-codedeploy';
import { timeLimits } from '../runtime/time-limits.ts';

/**
 * What CodeDeploy gives a hook (AWS CodeDeploy User Guide, AppSpec 'hooks' section for a Lambda
 * deployment).
 */
export interface Hook {
  readonly DeploymentId: string;
  readonly LifecycleEventHookExecutionId: string;
}

const client = new CodeDeployClient({ maxAttempts: 5, requestHandler: timeLimits });

/** Reports the result of a hook to CodeDeploy. A hook that is not reported fails after an hour. */
export const report = async (hook: Hook, status: 'Succeeded' | 'Failed'): Promise<void> => {
  await client.send(
    new PutLifecycleEventHookExecutionStatusCommand({
      deploymentId: hook.DeploymentId,
      lifecycleEventHookExecutionId: hook.LifecycleEventHookExecutionId,
      status,
    }),
  );
};
