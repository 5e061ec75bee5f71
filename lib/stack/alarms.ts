import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

interface AlarmDefinition {
  /** What happened and who suffers: the sentence of its mail. */
  readonly means: string;
  readonly metric: IMetric;
  /** The alarm is raised above this value. */
  readonly threshold: number;
  /** The number of periods that are evaluated; 1 when absent. */
  readonly periods?: number;
  /** How many of the periods must be above it; all when absent. */
  readonly datapointsToAlarm?: number;
  /** Missing data counts as not breaching when absent. */
  readonly treatMissingData?: TreatMissingData;
  /** Whether the operators need not hear that it is over. */
  readonly endsSilently?: boolean;
}

export const period = Duration.minutes(5);

/** The alarms that need an operator: each construct adds its own. */
export class Alarms extends Construct {
  /** None when the settings name no recipient. */
  readonly #actions: readonly IAlarmAction[];

  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id);
    const topic = operatorsOf(new Construct(scope, 'Operators'), settings);
    this.#actions = topic ? [new SnsAction(topic)] : [];
  }

  /**
   * Adds an alarm, which notifies the operators when it is raised and when it is over.
   *
   * @param name also in a heading of lib/RUNBOOK.md, where it says what to do
   */
  add(
    name: string,
    { means, periods = 1, endsSilently = false, ...definition }: AlarmDefinition,
  ): void {
    const alarm = new Alarm(this, name, {
      alarmDescription: `${means} lib/RUNBOOK.md#${name.toLowerCase()}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
      ...definition,
    });
    alarm.addAlarmAction(...this.#actions);
    if (!endsSilently) alarm.addOkAction(...this.#actions);
  }
}

/** The recipients of alarms: an address, or the subscribers of an existing topic. */
const operatorsOf = (scope: Construct, { alarms }: Settings): ITopic | undefined => {
  if (alarms.topicArn) return Topic.fromTopicArn(scope, 'Topic', alarms.topicArn);
  if (!alarms.email) return undefined;
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(alarms.email));
  // This policy replaces the topic's default policy, which lets the account's alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return topic;
};

/** The sum of metrics; missing data counts as 0. An alarm takes at most ten metrics. */
export const sum = (metrics: readonly IMetric[]): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    period,
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
  });

/** How often Lambda throttled any of these functions. */
export const throttles = (functions: readonly IFunction[]): MathExpression =>
  sum(functions.map((each) => each.metricThrottles({ period })));
