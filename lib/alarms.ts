import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { recorded, recordedProblem } from './metrics.ts';
import type { MonitoredResources } from './monitored-resources.ts';
import type { Operators } from './operators.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';
import type { StreamReader } from './stream-reader.ts';

interface AlarmDefinition {
  /** The alarm's description: a sentence for the operator. */
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
}

const period = Duration.minutes(5);

/**
 * The alarms that need an operator. Each has a section of its name in lib/RUNBOOK.md, which says
 * what it means and what to do.
 */
export class Alarms extends Construct {
  constructor(
    scope: Construct,
    id: string,
    settings: Settings,
    resources: MonitoredResources,
    operators: Operators,
  ) {
    super(scope, id);
    for (const [name, { means, periods = 1, ...definition }] of Object.entries(
      definitions(settings, resources),
    )) {
      const alarm = new Alarm(this, name, {
        alarmDescription: `${means} lib/RUNBOOK.md#${name.toLowerCase()}`,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: periods,
        treatMissingData: TreatMissingData.NOT_BREACHING,
        ...definition,
      });
      alarm.addAlarmAction(...operators.actions);
      // Says that it is over.
      alarm.addOkAction(...operators.actions);
    }
  }
}

const definitions = (
  settings: Settings,
  resources: MonitoredResources,
): Record<string, AlarmDefinition> => ({
  ...requestAlarms(settings, resources),
  ...streamAlarms(resources),
  ...queueAlarms(resources),
  ...throttleAlarms(resources),
  ...mailAlarms(settings, resources),
});

const requestAlarms = (
  settings: Settings,
  { api, endpoints }: MonitoredResources,
): Record<string, AlarmDefinition> => ({
  InternalErrors: {
    means: 'A request was answered 500 internal_error.',
    metric: sum(
      endpoints.map(({ file }) => recordedProblem(settings, file, 'internal_error', { period })),
    ),
    threshold: 0,
  },
  ServerErrors: {
    means: 'Every request, or five and more than 1 % of them, were answered 5xx.',
    metric: new MathExpression({
      // With few requests, a single failure would exceed any rate, and an outage no count.
      expression:
        'IF(errors > 0 AND (errors >= 5 OR errors == requests), 100 * errors / requests, 0)',
      period,
      usingMetrics: {
        errors: api.metricServerError({ period, statistic: Stats.SUM }),
        requests: api.metricCount({ period }),
      },
    }),
    threshold: 1,
  },
  SlowRequests: {
    means: 'One request in a hundred takes longer than three seconds.',
    metric: api.metricLatency({ period, statistic: Stats.percentile(99) }),
    threshold: 3000,
    periods: 3,
  },
});

const streamAlarms = ({ outbox, events: { publisher } }: MonitoredResources) => ({
  OutboxLag: {
    means: "The table's stream is read more than five minutes late.",
    ...lag(outbox),
  },
  OutboxStopped: {
    means: "relay-outbox has not read the table's stream for 15 minutes.",
    ...stopped(outbox),
  },
  OutboxDeadLetters: {
    means: 'Lambda has discarded records of the stream: their messages were never sent.',
    ...anyMessage(outbox.deadLetters),
  },
  EventsLag: {
    means: 'Events are published more than five minutes late.',
    ...lag(publisher),
  },
  EventsStopped: {
    means: "publish-events has not read the table's stream for 15 minutes.",
    ...stopped(publisher),
  },
  EventsDeadLetters: {
    means: 'publish-events or Lambda has given up records of the stream: their events are missing.',
    ...anyMessage(publisher.deadLetters),
  },
});

const lag = (reader: StreamReader) => ({
  metric: reader.function.metric('IteratorAge', { period, statistic: Stats.MAXIMUM }),
  threshold: Duration.minutes(5).toMilliseconds(),
});

/**
 * Lambda emits IteratorAge after a batch alone, so a reader that does not run has none. It records
 * a PolledEventCount for each poll, 0 when there was nothing: the number of its samples is the
 * number of polls (Lambda Developer Guide, "Types of metrics for Lambda functions"). A mapping that
 * is disabled or may not read does not poll. A throttled invocation counts as one there, and
 * `throttleAlarms` reports it.
 */
const stopped = ({ mapping }: StreamReader) => {
  const metric = (metricName: string, statistic: string = Stats.SUM) =>
    new Metric({
      namespace: 'AWS/Lambda',
      metricName,
      dimensionsMap: { EventSourceMappingUUID: mapping.eventSourceMappingId },
      statistic,
      period,
    });
  return {
    metric: new MathExpression({
      expression:
        'IF(FILL(polls, 0) == 0 OR (FILL(polled, 0) > FILL(filtered, 0) AND FILL(invoked, 0) == 0), 1, 0)',
      period,
      usingMetrics: {
        polls: metric('PolledEventCount', Stats.SAMPLE_COUNT),
        polled: metric('PolledEventCount'),
        filtered: metric('FilteredOutEventCount'),
        invoked: metric('InvokedEventCount'),
      },
    }),
    threshold: 0,
    periods: 3,
    // CloudWatch may evaluate no expression at all where none of its metrics has data.
    treatMissingData: TreatMissingData.BREACHING,
  };
};

const anyMessage = (deadLetters: Queue) => ({
  metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period }),
  threshold: 0,
});

const queueAlarms = ({ consumers }: MonitoredResources): Record<string, AlarmDefinition> =>
  Object.fromEntries(
    Object.entries(consumers).flatMap(([name, { queue, deadLetters, function: consumer }]) => [
      [
        `${name}OldestMessage`,
        {
          means: `A message has waited for ${consumer.file} for more than 15 minutes.`,
          metric: queue.metricApproximateAgeOfOldestMessage({ period }),
          threshold: Duration.minutes(15).toSeconds(),
        },
      ],
      [
        `${name}DeadLetters`,
        {
          means: `${consumer.file} has failed with a message five times.`,
          ...anyMessage(deadLetters),
        },
      ],
    ]),
  );

const throttleAlarms = (resources: MonitoredResources): Record<string, AlarmDefinition> => {
  const { authorizer, endpoints, outbox, events, consumers, table } = resources;
  const throttles = (functions: readonly ServiceFunction[]) =>
    sum(functions.map((each) => each.metricThrottles({ period })));
  const tableEvents = (name: string) => table.metric(name, { period, statistic: Stats.SUM });
  return {
    ThrottledRequests: {
      means: 'Lambda throttled a function that answers requests: their clients got an error.',
      metric: throttles([authorizer, ...endpoints]),
      threshold: 0,
    },
    ThrottledConsumers: {
      means: 'For 15 minutes Lambda has throttled functions that read queues or the stream.',
      metric: throttles([
        outbox.function,
        events.publisher.function,
        ...Object.values(consumers).map((consumer) => consumer.function),
      ]),
      threshold: 0,
      periods: 3,
    },
    ThrottledTable: {
      means: 'DynamoDB throttled reads or writes.',
      metric: sum([tableEvents('ReadThrottleEvents'), tableEvents('WriteThrottleEvents')]),
      threshold: 0,
      periods: 2,
    },
  };
};

/** The sum of metrics; missing data counts as 0. An alarm takes at most ten metrics. */
const sum = (metrics: readonly IMetric[]) =>
  new MathExpression({
    expression: metrics.map((_, index) => `FILL(m${index}, 0)`).join(' + '),
    period,
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric])),
  });

/** SES publishes these a few times a day per account: missing data keeps the alarm's state. */
const reputation = (name: string) => ({
  metric: new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${name}`,
    statistic: Stats.AVERAGE,
    period: Duration.hours(1),
  }),
  treatMissingData: TreatMissingData.IGNORE,
});

const mailAlarms = (
  settings: Settings,
  { consumers: { Delivery } }: MonitoredResources,
): Record<string, AlarmDefinition> => ({
  // The age of the oldest message does not show them: SQS leaves a message that was received three
  // times out of it (Amazon SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS").
  HeldMails: {
    means: 'SES takes no mail because of the sender, the account or its daily quota: mails wait.',
    metric: recorded(settings, Delivery.function.file, 'MailHeld', { period }),
    threshold: 0,
    // A held mail is counted once an hour, and the mails wait in between too. Of periods of five
    // minutes, an alarm evaluates a day at most (CloudWatch API Reference, PutMetricAlarm).
    periods: 14,
    datapointsToAlarm: 1,
  },
  FailedMails: {
    means: 'SES will never take a mail: its delivery attempt has failed.',
    metric: recorded(settings, Delivery.function.file, 'MailFailed', { period }),
    threshold: 0,
  },
  BounceRate: {
    means:
      'More than 4 % of the mail of this account and region bounces; SES reviews the account from 5 %.',
    threshold: 0.04,
    ...reputation('BounceRate'),
  },
  ComplaintRate: {
    means:
      'More than 0.08 % of the mail of this account and region is reported as spam; SES reviews the account from 0.1 %.',
    threshold: 0.0008,
    ...reputation('ComplaintRate'),
  },
});
