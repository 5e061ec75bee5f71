import { type CfnElement, Stack, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Release, Rollout } from './rollout.ts';
import { consumerTimeout, ServiceFunction, type ServiceFunctionProps } from './service-function.ts';

/** What is validated, and by which bundle. */
export interface ReleaseValidationProps extends Pick<ServiceFunctionProps, 'bundles' | 'settings'> {
  readonly rollout: Rollout;
}

/**
 * Calls new versions before CodeDeploy lets calls reach them. Without requests a canary
 * finds nothing, and a broken version would pass.
 */
export class ReleaseValidation extends Construct {
  constructor(scope: Construct, id: string, { rollout, ...props }: ReleaseValidationProps) {
    super(scope, id);
    const { releases, role } = rollout;
    const versionOf = ({ alias }: Release) => alias.version.functionArn;
    const validator = new ServiceFunction(this, 'Function', {
      ...props,
      rollout: undefined,
      name: 'validate-versions',
      timeout: consumerTimeout,
      environment: {
        VERSIONS: Stack.of(this).toJsonString(
          Object.fromEntries(releases.map((release) => [release.name, versionOf(release)])),
        ),
      },
    });
    validator.allow(['lambda:InvokeFunction'], releases.map(versionOf));
    validator.allow(
      ['codedeploy:PutLifecycleEventHookExecutionStatus'],
      releases.map(({ group }) => group.deploymentGroupArn),
    );
    const validatorId = Stack.of(this).getLogicalId(validator.node.defaultChild as CfnElement);
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${validatorId}.Arn>:*]`,
      reason: 'The CDK lets CodeDeploy call the hook, which has no versions, by any of them.',
    });
    for (const { alias, group } of releases) {
      group.addPreHook(validator);
      alias.node.addDependency(validator);
    }
  }
}
