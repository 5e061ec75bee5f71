import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { type MetricName, problemMetric } from '../functions/telemetry/metric-names.ts';
import { metricsNamespace, recorded } from './metrics.ts';
import { allFunctions, type MonitoredResources } from './monitored-resources.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

/** The health of the service on one page. */
export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, settings: Settings, resources: MonitoredResources) {
    super(scope, id, {
      // Dashboard names are unique in an account, across its regions.
      dashboardName: `WorkforcePayments-${settings.stage}-${Stack.of(scope).region}`,
      defaultInterval: Duration.hours(3),
      widgets: [
        requests(settings, resources),
        callers(settings, resources),
        queues(settings, resources),
        limits(resources),
      ],
    });
  }
}

const requests = (settings: Settings, { api }: MonitoredResources) => [
  graph('Requests', [
    api.metricCount({ label: 'all' }),
    api.metricClientError({ label: '4xx' }),
    api.metricServerError({ label: '5xx' }),
  ]),
  graph('Errors by code', [
    new MathExpression({
      // A search finds every code, also those that a later version adds.
      expression: `SEARCH('{${metricsNamespace(settings)},service,${problemMetric.dimension}} MetricName="${problemMetric.name}"', 'Sum')`,
      label: '',
    }),
  ]),
  graph(
    'Latency, ms',
    api.methods
      .filter(({ httpMethod }) => httpMethod !== 'ANY')
      .flatMap((method) =>
        [50, 99].map((percent) =>
          method.metricLatency(api.deploymentStage, {
            statistic: Stats.percentile(percent),
            label: `p${percent} ${method.httpMethod} ${method.resource.path}`,
          }),
        ),
      ),
  ),
];

const callers = (settings: Settings, resources: MonitoredResources) => {
  const { endpoints, consumers } = resources;
  const each = (functions: readonly ServiceFunction[], name: MetricName) =>
    functions.map(({ file }) => recorded(settings, file, name, { label: `${file} ${name}` }));
  return [
    graph('Cold starts', each(allFunctions(resources), 'ColdStart')),
    graph('Idempotent replays and conflicts', [
      ...each(endpoints, 'IdempotentReplay'),
      ...each(endpoints, 'IdempotencyConflict'),
    ]),
    graph(
      'From provisioning to ready, ms',
      [50, 99].map((percent) =>
        recorded(settings, consumers.Provisioning.function.file, 'ProvisioningTime', {
          statistic: Stats.percentile(percent),
          label: `p${percent}`,
        }),
      ),
    ),
  ];
};

const queues = (settings: Settings, { outbox, events, consumers }: MonitoredResources) => {
  const { Delivery, MailEvents } = consumers;
  const mails = (consumer: typeof Delivery, names: readonly MetricName[]) =>
    names.map((name) => recorded(settings, consumer.function.file, name, { label: name }));
  const named = Object.entries(consumers);
  return [
    graph('Mails', [
      ...mails(Delivery, ['MailSent', 'MailHeld', 'MailFailed', 'MailSimulated']),
      ...mails(MailEvents, ['MailDelivered', 'MailBounced', 'MailComplained']),
    ]),
    graph(
      'Age of the oldest message, s',
      named.map(([label, { queue }]) => queue.metricApproximateAgeOfOldestMessage({ label })),
    ),
    graph('Dead letters', [
      ...named.map(([label, { deadLetters }]) => visible(deadLetters, label)),
      visible(outbox.deadLetters, 'Outbox'),
      visible(events.publisher.deadLetters, 'Events'),
    ]),
  ];
};

const limits = (resources: MonitoredResources) => {
  const { table, outbox, events } = resources;
  const sum = (name: string) => table.metric(name, { statistic: Stats.SUM, label: name });
  return [
    graph('Throttles', [
      ...allFunctions(resources).map((each) => each.metricThrottles({ label: each.file })),
      sum('ReadThrottleEvents'),
      sum('WriteThrottleEvents'),
    ]),
    graph('Consumed capacity, units', [
      sum('ConsumedReadCapacityUnits'),
      sum('ConsumedWriteCapacityUnits'),
    ]),
    graph(
      'Lag of the outbox and of the events, ms',
      [outbox, events.publisher].map(({ function: reader }) =>
        reader.metric('IteratorAge', { statistic: Stats.MAXIMUM, label: reader.file }),
      ),
    ),
  ];
};

const visible = (
  queue: { metricApproximateNumberOfMessagesVisible: (options: { label: string }) => IMetric },
  label: string,
) => queue.metricApproximateNumberOfMessagesVisible({ label });

/** A third of a row. */
const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8 });
