import { Duration, Fn, type Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { IEventBus, IRule } from 'aws-cdk-lib/aws-events';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';

/** Returns what adds an alarm that is raised above its threshold. One address gets them all. */
export const alarmsOf = (stack: Stack) => {
  const topic = new Topic(stack, 'Alarms');
  topic.addSubscription(new EmailSubscription('payments@example.com'));
  return (id: string, props: cloudwatch.AlarmProps): void =>
    new cloudwatch.Alarm(stack, id, {
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      ...props,
    }).addAlarmAction(new SnsAction(topic));
};

/**
 * Each new letter, whatever lies here already. SQS reports nothing of a queue that has been idle
 * for six hours (Amazon SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS"): the
 * first letter has no predecessor, which counts as 0. What somebody receives is hidden for a while.
 */
export const newLetters = (letters: Queue) => {
  const metric = { period: Duration.minutes(1), statistic: cloudwatch.Stats.MAXIMUM };
  return {
    metric: new cloudwatch.MathExpression({
      expression: 'DIFF(FILL(FILL(visible, REPEAT), 0) + FILL(hidden, 0))',
      period: metric.period,
      usingMetrics: {
        visible: letters.metricApproximateNumberOfMessagesVisible(metric),
        hidden: letters.metricApproximateNumberOfMessagesNotVisible(metric),
      },
    }),
    threshold: 0,
    // Data of the last minutes come later.
    evaluationPeriods: 15,
    datapointsToAlarm: 1,
  };
};

/** Events that EventBridge drops: neither a rule's target nor its dead-letter queue takes them. */
export const droppedEvents = (bus: IEventBus, rule: IRule) => ({
  metric: new cloudwatch.Metric({
    namespace: 'AWS/Events',
    metricName: 'InvocationsFailedToBeSentToDlq',
    // The rule's ARN ends in `rule/<bus>/<name>`.
    dimensionsMap: {
      EventBusName: bus.eventBusName,
      RuleName: Fn.select(2, Fn.split('/', rule.ruleArn)),
    },
    statistic: cloudwatch.Stats.SUM,
    period: Duration.minutes(5),
  }),
  threshold: 0,
  evaluationPeriods: 1,
});
