import { Duration, Validations } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import {
  LambdaApplication,
  LambdaDeploymentConfig,
  LambdaDeploymentGroup,
} from 'aws-cdk-lib/aws-codedeploy';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, type Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { internalErrors } from './metrics.ts';
import type { Settings } from './settings.ts';

/**
 * Rolls out new versions of functions: a tenth of the calls for five minutes, then all of them.
 * When the new version fails meanwhile, the old one gets all calls again and the deployment fails.
 *
 * It is for functions that respond to requests: queues and the stream keep what fails. All aliases
 * shift at once, and Lambda accepts 15 changes a second from an account ("Lambda quotas"). When it
 * refuses one, the deployment fails and leaves its alias where CodeDeploy refuses to move it
 * (davidgf/serverless-plugin-canary-deployments#159; "AppSpec 'resources' section").
 */
export class Rollout extends Construct {
  readonly #settings: Settings;
  readonly #application: LambdaApplication;
  /** CodeDeploy's. */
  readonly #role: Role;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#settings = settings;
    this.#application = new LambdaApplication(this, 'Application');
    this.#role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    });
    Validations.of(this.#role).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason:
        'The CDK attaches it to the role of every deployment group. It allows what shifting the traffic of an alias needs.',
    });
  }

  /**
   * The alias `live` of a function, which this rollout moves to new versions.
   *
   * @param name the function's file, which is the `service` of its metrics
   */
  release(target: LambdaFunction, name: string): Alias {
    const alias = new Alias(target, 'Live', {
      aliasName,
      version: target.currentVersion,
    });
    const canary = this.#settings.rollout === 'canary';
    new LambdaDeploymentGroup(target, 'Rollout', {
      application: this.#application,
      role: this.#role,
      alias,
      deploymentConfig: canary
        ? LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES
        : LambdaDeploymentConfig.ALL_AT_ONCE,
      alarms: [this.#failures(target, name)],
      // A deployment that somebody stops would leave the alias on two versions (CodeDeploy User
      // Guide, "Troubleshoot AWS Lambda deployment issues").
      autoRollback: { stoppedDeployment: true },
      // Without the canary a fix can be deployed while the old version fails.
      ignoreAlarmConfiguration: !canary,
    });
    return alias;
  }

  /**
   * Crashes and timeouts of the new version, which Lambda counts, and its internal errors, which it
   * records. One failure may have any cause; two and more than 5 % of the version's calls end the
   * deployment.
   */
  #failures(target: LambdaFunction, name: string): Alarm {
    const period = Duration.minutes(5);
    const { version } = target.currentVersion;
    // Lambda counts so by the versions behind an alias (Lambda Developer Guide, "Viewing metrics
    // for Lambda functions"; the guide to safe deployments of AWS SAM has the three dimensions).
    const ofVersion = {
      period,
      dimensionsMap: {
        FunctionName: target.functionName,
        Resource: `${target.functionName}:${aliasName}`,
        ExecutedVersion: version,
      },
    };
    return new Alarm(target, 'Failures', {
      alarmDescription: `The new version of ${name} fails; CodeDeploy rolls back a deployment in progress. lib/RUNBOOK.md#failures`,
      metric: new MathExpression({
        expression:
          'IF(FILL(errors, 0) + FILL(problems, 0) >= 2, 100 * (FILL(errors, 0) + FILL(problems, 0)) / calls, 0)',
        period,
        usingMetrics: {
          errors: target.metricErrors(ofVersion),
          problems: internalErrors(this.#settings, period, { service: name, version }),
          calls: target.metricInvocations(ofVersion),
        },
      }),
      threshold: 5,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}

const aliasName = 'live';
