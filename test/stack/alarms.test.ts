import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  consumers,
  developmentTemplate,
  functionsOf,
  mappingOf,
  mentioned,
  queuesOf,
  type Resource,
  resourceOf,
  resourcesOf,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

const template = developmentTemplate();

/** The alarms by the section of the runbook that their descriptions name. */
const alarmsBySection = (of = template): Map<string, Resource['Properties']> =>
  new Map(
    resourcesOf(of, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) => [
      /lib\/RUNBOOK\.md#(\S+)$/.exec(Properties.AlarmDescription)?.[1] ?? '',
      Properties,
    ]),
  );

const alarms = alarmsBySection();

const dimension = (Name: string, Value: unknown) => [{ Name, Value }];
const queueDimension = (queue: string) =>
  dimension('QueueName', { 'Fn::GetAtt': [queue, 'QueueName'] });

/** The functions that read the stream, by the beginning of the names of their alarms. */
const readers = [
  ['Outbox', 'relay-outbox'],
  ['Events', 'publish-events'],
] as const;
const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
const [, api] = resourceOf(template, 'AWS::ApiGateway::RestApi');
const ofTable = dimension('TableName', { Ref: table });
const ofApi = dimension('ApiName', api.Properties.Name);

const minutes = 60;

/** What an alarm looks at that compares the largest value of one metric. */
const maximum = (
  Namespace: string,
  MetricName: string,
  Dimensions: unknown,
  Threshold: number,
) => ({
  ...{ Namespace, MetricName, Dimensions, Threshold },
  Statistic: 'Maximum',
  EvaluationPeriods: 1,
});

const anyMessage = (queue: string) =>
  maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', queueDimension(queue), 0);

/** The alarms about one metric as it is. */
const plain: Record<string, Record<string, unknown>> = {
  SlowRequests: {
    Namespace: 'AWS/ApiGateway',
    MetricName: 'Latency',
    Dimensions: ofApi,
    ExtendedStatistic: 'p99',
    Threshold: 3000,
    EvaluationPeriods: 3,
  },
  ...Object.fromEntries(
    readers.flatMap(([name, functionName]) => {
      const lambda = { Ref: functionsOf(template).get(functionName)?.[0] };
      const [deadLetters = ''] = mentioned(mappingOf(template, functionName).DestinationConfig);
      const tooLateMs = 5 * minutes * 1000;
      const reading = dimension('FunctionName', lambda);
      return [
        [`${name}Lag`, maximum('AWS/Lambda', 'IteratorAge', reading, tooLateMs)],
        [`${name}DeadLetters`, anyMessage(deadLetters)],
      ];
    }),
  ),
  ...Object.fromEntries(
    consumers.flatMap(([name, functionName]) => {
      const { queue, deadLetters } = queuesOf(template, functionName);
      const waiting = queueDimension(queue);
      return [
        [
          `${name}OldestMessage`,
          maximum('AWS/SQS', 'ApproximateAgeOfOldestMessage', waiting, 15 * minutes),
        ],
        [`${name}DeadLetters`, anyMessage(deadLetters)],
      ];
    }),
  ),
};

/** SES reviews an account from 5 % bounces or 0.1 % complaints on ("Sending review FAQ"). */
const reputation: Record<string, Record<string, unknown>> = {
  BounceRate: { MetricName: 'Reputation.BounceRate', Threshold: 0.04 },
  ComplaintRate: { MetricName: 'Reputation.ComplaintRate', Threshold: 0.0008 },
};

interface Calculated {
  readonly expression: string;
  /** By the name in the expression: namespace, metric, statistic, dimensions. */
  readonly metrics: Record<string, [string, string, string, unknown]>;
  readonly properties: Record<string, unknown>;
}

/** The alarms about what is calculated from metrics. */
const calculated: Record<string, Calculated> = {
  ServerErrors: {
    expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
    metrics: {
      errors: ['AWS/ApiGateway', '5XXError', 'Sum', ofApi],
      // The one statistic that counts requests ("Amazon API Gateway dimensions and metrics").
      requests: ['AWS/ApiGateway', 'Count', 'SampleCount', ofApi],
    },
    properties: { Threshold: 1, EvaluationPeriods: 1 },
  },
  ThrottledTable: {
    expression: 'FILL(reads, 0) + FILL(writes, 0)',
    metrics: {
      reads: ['AWS/DynamoDB', 'ReadThrottleEvents', 'Sum', ofTable],
      writes: ['AWS/DynamoDB', 'WriteThrottleEvents', 'Sum', ofTable],
    },
    properties: { Threshold: 0, EvaluationPeriods: 2 },
  },
};

const expected = { ...plain, ...reputation, ...calculated };

test('there is an alarm for each thing that should wake someone, and for nothing else', () => {
  expect([...alarms.keys()].sort()).toEqual(
    Object.keys(expected)
      .map((name) => name.toLowerCase())
      .sort(),
  );
});

test.each(Object.keys(expected))(
  '%s has a description that leads to the runbook, and is red above its threshold',
  (name) => {
    const { AlarmDescription, ComparisonOperator } = alarms.get(name.toLowerCase()) ?? {};
    expect(AlarmDescription).toMatch(/^.{20,}\. lib\/RUNBOOK\.md#/);
    expect(ComparisonOperator).toBe('GreaterThanThreshold');
  },
);

test.each(Object.entries(plain))('%s looks at five minutes of its metric', (name, properties) => {
  expect(alarms.get(name.toLowerCase())).toMatchObject({
    ...properties,
    Period: 5 * minutes,
    TreatMissingData: 'notBreaching',
  });
});

test.each(Object.entries(reputation))(
  '%s stays red between two figures of SES',
  (name, properties) => {
    expect(alarms.get(name.toLowerCase())).toMatchObject({
      ...properties,
      Namespace: 'AWS/SES',
      Statistic: 'Average',
      Period: 60 * minutes,
      TreatMissingData: 'ignore',
    });
    expect(alarms.get(name.toLowerCase())).not.toHaveProperty('Dimensions');
  },
);

test.each(Object.entries(calculated))(
  '%s looks at five minutes of what it is calculated from',
  (name, { expression, metrics, properties }) => {
    const { Metrics, ...rest } = alarms.get(name.toLowerCase()) ?? {};
    expect(rest).toMatchObject({ ...properties, TreatMissingData: 'notBreaching' });
    const [result, ...sources] = Metrics;
    expect(result).toMatchObject({ Expression: expression, ReturnData: true });
    expect(sources).toEqual(
      Object.entries(metrics).map(([Id, [Namespace, MetricName, Stat, Dimensions]]) => ({
        Id,
        ReturnData: false,
        MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: 5 * minutes, Stat },
      })),
    );
  },
);

describe('the runbook', () => {
  const text = readFileSync(join(import.meta.dirname, '../../lib/RUNBOOK.md'), 'utf8');
  const sections = [...text.matchAll(/^## (\w+)$/gm)].map(([, name = '']) => name);

  test('has a section for each alarm of production, and none without an alarm', async () => {
    const named = alarmsBySection(await templateOf(production));
    expect(
      sections.map((name) => name.toLowerCase()).sort(),
      'lib/RUNBOOK.md has a section `## <Alarm>` for each alarm: what it means, and what to do.',
    ).toEqual([...named.keys()].sort());
  });

  test('says something in each section', () => {
    const bodies = text.split(/^## .*$/m).slice(1);
    expect(bodies).toHaveLength(sections.length);
    for (const body of bodies) expect(body.trim()).toMatch(/.{60,}/s);
  });
});
