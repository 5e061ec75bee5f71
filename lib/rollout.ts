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
import { Alias } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { recorded, recordedProblem } from './metrics.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

/**
 * Rolls new versions of functions out: a tenth of the calls for five minutes, then all of them. When
 * a function fails meanwhile, its old version gets all calls back and the deployment ends as failed.
 */
export class Rollout extends Construct {
  readonly #settings: Settings;
  readonly #application: LambdaApplication;
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
        'The CDK attaches it to whatever role a deployment group has. AWS keeps it to what moving the traffic of an alias takes.',
    });
  }

  /** The alias `live` of a function, which moves to a new version as this rollout says. */
  release(target: ServiceFunction): Alias {
    const alias = new Alias(target, 'Live', {
      aliasName: 'live',
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
      alarms: [this.#failures(target, alias)],
      // Without the canary, a new version comes in while the old one fails: it is the cure.
      ignoreAlarmConfiguration: !canary,
    });
    return alias;
  }

  /** Crashes and timeouts, which Lambda counts, and what the function itself could not do. */
  #failures(target: ServiceFunction, alias: Alias): Alarm {
    const period = Duration.minutes(1);
    return new Alarm(target, 'Failures', {
      alarmDescription: `${target.file} fails; a rollout under way is taken back. lib/RUNBOOK.md#failures`,
      metric: new MathExpression({
        expression: 'FILL(errors, 0) + FILL(problems, 0) + FILL(messages, 0)',
        period,
        usingMetrics: {
          errors: alias.metricErrors({ period }),
          problems: recordedProblem(this.#settings, target.file, 'internal_error', { period }),
          messages: recorded(this.#settings, target.file, 'MessageFailed', { period }),
        },
      }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      // Any of the last five minutes: FILL makes a zero of what has not arrived yet, and an alarm about
      // the last minute alone would never look at that minute again.
      evaluationPeriods: 5,
      datapointsToAlarm: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
