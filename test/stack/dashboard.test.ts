import { expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import {
  asText,
  consumers,
  developmentTemplate,
  functionsOf,
  mappingOf,
  mentioned,
  queuesOf,
  resourceOf,
} from '../support/read-template.ts';

const template = developmentTemplate();
const namespace = 'WorkforcePayments/dev';

interface Widget {
  readonly properties: {
    readonly title: string;
    readonly metrics: (string | { stat?: string; expression?: string })[][];
  };
}

const [, { Properties }] = resourceOf(template, 'AWS::CloudWatch::Dashboard');
const { widgets }: { widgets: Widget[] } = JSON.parse(asText(Properties.DashboardBody));

/** A graph's metrics, each as `Namespace Metric Dimension=Value … statistic`. */
const graph = (title: string): string[] => {
  const found = widgets.filter(({ properties }) => properties.title === title);
  expect(found).toHaveLength(1);
  return (found[0]?.properties.metrics ?? []).map((metric) => {
    const names = metric.filter((each) => typeof each === 'string');
    const { stat, expression } = metric.find((each) => typeof each === 'object') ?? {};
    if (expression) return expression;
    const [space, name, ...pairs] = names;
    const dimensions = pairs.flatMap((each, index) =>
      index % 2 === 0 ? [`${each}=${pairs[index + 1]}`] : [],
    );
    return [space, name, ...dimensions.sort(), stat].join(' ');
  });
};

const functionNames = [...functionsOf(template).keys()];
const endpoints = Object.values(routes).map(({ functionName }) => functionName);
const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
const [, api] = resourceOf(template, 'AWS::ApiGateway::RestApi');
const [stage] = resourceOf(template, 'AWS::ApiGateway::Stage');

const recorded = (metric: string, functionName: string, statistic = 'Sum') =>
  `${namespace} ${metric} service=${functionName} ${statistic}`;

const ofTable = (metric: string) => `AWS/DynamoDB ${metric} TableName=\${${table}} Sum`;

const ofQueue = (metric: string, queue: string) =>
  `AWS/SQS ${metric} QueueName=\${${queue}.QueueName} Maximum`;

/** What an operator needs to see of the service's state, by the title of its graph. */
const expected: Record<string, string[]> = {
  Requests: [
    ['Count', 'SampleCount'],
    ['4XXError', 'Sum'],
    ['5XXError', 'Sum'],
  ].map(([name, stat]) => `AWS/ApiGateway ${name} ApiName=${api.Properties.Name} ${stat}`),
  'Errors by code': [`SEARCH('{${namespace},service,code} MetricName="Problem"', 'Sum')`],
  'Latency, ms': Object.values(routes).flatMap(({ method, path }) =>
    ['p50', 'p99'].map((percentile) =>
      [
        'AWS/ApiGateway Latency',
        `ApiName=${api.Properties.Name}`,
        `Method=${method}`,
        `Resource=${path}`,
        `Stage=\${${stage}}`,
        percentile,
      ].join(' '),
    ),
  ),
  'Cold starts': functionNames.map((name) => recorded('ColdStart', name)),
  'Idempotent replays and conflicts': ['IdempotentReplay', 'IdempotencyConflict'].flatMap(
    (metric) => endpoints.map((name) => recorded(metric, name)),
  ),
  'From provisioning to ready, ms': ['p50', 'p99'].map((percentile) =>
    recorded('ProvisioningTime', 'provision-sandbox', percentile),
  ),
  Mails: [
    ...['MailSent', 'MailFailed', 'MailSimulated'].map((metric) =>
      recorded(metric, 'deliver-offer'),
    ),
    ...['MailDelivered', 'MailBounced', 'MailComplained'].map((metric) =>
      recorded(metric, 'record-mail-event'),
    ),
  ],
  'Age of the oldest message, s': consumers.map(([, name]) =>
    ofQueue('ApproximateAgeOfOldestMessage', queuesOf(template, name).queue),
  ),
  'Dead letters': [
    ...consumers.map(([, name]) => queuesOf(template, name).deadLetters),
    ...['relay-outbox', 'publish-events'].flatMap((name) =>
      mentioned(mappingOf(template, name).DestinationConfig.OnFailure.Destination),
    ),
  ].map((queue) => ofQueue('ApproximateNumberOfMessagesVisible', queue)),
  Throttles: [
    ...[...functionsOf(template).values()].map(
      ([id]) => `AWS/Lambda Throttles FunctionName=\${${id}} Sum`,
    ),
    ofTable('ReadThrottleEvents'),
    ofTable('WriteThrottleEvents'),
  ],
  'Consumed capacity, units': [
    ofTable('ConsumedReadCapacityUnits'),
    ofTable('ConsumedWriteCapacityUnits'),
  ],
  'Lag of the outbox and of the events, ms': ['relay-outbox', 'publish-events'].map(
    (name) =>
      `AWS/Lambda IteratorAge FunctionName=\${${functionsOf(template).get(name)?.[0]}} Maximum`,
  ),
};

test('the dashboard shows these graphs', () => {
  expect(widgets.map(({ properties }) => properties.title).sort()).toEqual(
    Object.keys(expected).sort(),
  );
});

test.each(Object.entries(expected))('%s', (title, metrics) => {
  expect(graph(title).sort()).toEqual([...metrics].sort());
});

test('latencies are counted for each method, which API Gateway does when it is asked to', () => {
  const [, { Properties: deployed }] = resourceOf(template, 'AWS::ApiGateway::Stage');
  expect(deployed.MethodSettings).toEqual([
    expect.objectContaining({ ResourcePath: '/*', HttpMethod: '*', MetricsEnabled: true }),
  ]);
});
