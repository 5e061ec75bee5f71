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
import { recorded, recordedProblem } from './metrics.ts';
import type { Settings } from './settings.ts';

/** A function whose new versions are rolled out. */
export interface Release {
  /** The function's file, without its ending. */
  readonly name: string;
  readonly alias: Alias;
  readonly group: LambdaDeploymentGroup;
}

/**
 * Rolls out new versions of functions: a tenth of the calls for five minutes, then all of them.
 * When the function fails meanwhile, its old version gets all calls again and the deployment fails.
 */
export class Rollout extends Construct {
  readonly releases: Release[] = [];
  readonly #settings: Settings;
  readonly #application: LambdaApplication;
  /** CodeDeploy's. */
  readonly role: Role;

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    this.#settings = settings;
    this.#application = new LambdaApplication(this, 'Application');
    this.role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
    });
    Validations.of(this.role).acknowledge({
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
      aliasName: 'live',
      version: target.currentVersion,
    });
    const canary = this.#settings.rollout === 'canary';
    const group = new LambdaDeploymentGroup(target, 'Rollout', {
      application: this.#application,
      role: this.role,
      alias,
      deploymentConfig: canary
        ? LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES
        : LambdaDeploymentConfig.ALL_AT_ONCE,
      alarms: [this.#failures(target, name, alias)],
      // Without the canary a fix can be deployed while the old version fails.
      ignoreAlarmConfiguration: !canary,
    });
    this.releases.push({ name, alias, group });
    return alias;
  }

  /** Crashes and timeouts, which Lambda counts, and failures that the function itself records. */
  #failures(target: LambdaFunction, name: string, alias: Alias): Alarm {
    const period = Duration.minutes(1);
    return new Alarm(target, 'Failures', {
      alarmDescription: `${name} fails; CodeDeploy rolls back a deployment in progress. lib/RUNBOOK.md#failures`,
      metric: new MathExpression({
        expression: 'FILL(errors, 0) + FILL(problems, 0) + FILL(messages, 0)',
        period,
        usingMetrics: {
          errors: alias.metricErrors({ period }),
          problems: recordedProblem(this.#settings, name, 'internal_error', { period }),
          messages: recorded(this.#settings, name, 'MessageFailed', { period }),
        },
      }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // Any of the last five minutes: FILL turns data that has not arrived yet into zero, and an
      // alarm on the last minute alone would not evaluate that minute again.
      evaluationPeriods: 5,
      datapointsToAlarm: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
