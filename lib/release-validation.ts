import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Release, Rollout } from './rollout.ts';
import {
  printedArn,
  ServiceFunction,
  type ServiceFunctionProps,
  wildcardFinding,
} from './service-function.ts';

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
      // The versions start one after another, and the account may be out of concurrency meanwhile.
      timeout: Duration.minutes(5),
      environment: {
        VERSIONS: Stack.of(this).toJsonString(
          Object.fromEntries(releases.map((release) => [release.name, versionOf(release)])),
        ),
      },
    });
    // Any version: a policy that names each one would change with every deployment.
    validator.allow(
      ['lambda:InvokeFunction'],
      releases.map(({ alias }) => `${alias.lambda.functionArn}:*`),
    );
    // `addPreHook` names the deployment groups, as the AWS SAM Developer Guide does; the Service
    // Authorization Reference has no resource type for this action. With `*` either is right. A
    // report needs the id of an execution, which only its hook receives.
    validator.allow(['codedeploy:PutLifecycleEventHookExecutionStatus'], '*');
    Validations.of(role).acknowledge({
      id: wildcardFinding(`${printedArn(validator)}:*`),
      reason: 'The CDK lets CodeDeploy call the hook, which has no versions, by any of them.',
    });
    for (const { alias, group } of releases) {
      validator.acknowledgeWildcard(
        `${printedArn(alias.lambda)}:*`,
        'The hook calls the versions of this function: others after each deployment.',
      );
      group.addPreHook(validator);
      // The role's policy, by which CodeDeploy may call the hook, is new with the first canary.
      alias.node.addDependency(validator, role);
    }
  }
}
