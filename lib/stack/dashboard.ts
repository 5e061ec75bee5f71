import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import type { OutboxQueue } from '../../functions/domain/outbox.ts';
import { type MetricName, problemMetric } from '../../functions/telemetry/metric-names.ts';
import type { PaymentsApi } from './api.ts';
import { blockedRequests } from './firewall.ts';
import { metricsNamespace, recorded } from './metrics.ts';
import type { QueueConsumer } from './queue-consumer.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';
import type { StreamReader } from './stream-reader.ts';

/** What the dashboard shows; queues and readers by the names that it shows. */
export interface ServiceDashboardProps {
  readonly settings: Settings;
  readonly api: PaymentsApi;
  readonly table: Table;
  /** Every Lambda function of the service, among them the endpoints. */
  readonly functions: readonly ServiceFunction[];
  readonly endpoints: readonly ServiceFunction[];
  readonly readers: Readonly<Record<string, StreamReader>>;
  readonly consumers: Readonly<Record<OutboxQueue | 'MailEvents', QueueConsumer>>;
}

export class ServiceDashboard extends Dashboard {
  constructor(scope: Construct, id: string, props: ServiceDashboardProps) {
    super(scope, id, {
      // Dashboard names are unique in an account, across its regions.
      dashboardName: `WorkforcePayments-${props.settings.stage}-${Stack.of(scope).region}`,
      defaultInterval: Duration.hours(3),
      widgets: [requests(props), callers(props), queues(props), limits(props)],
    });
  }
}

const requests = ({ settings, api }: ServiceDashboardProps) => [
  graph('Requests', [
    api.metricCount({ label: 'all' }),
    api.metricClientError({ label: '4xx' }),
    api.metricServerError({ label: '5xx' }),
  ]),
  graph('Errors by code', [
    new MathExpression({
      // A search finds every code, also those that a later version adds. What is not alphanumeric
      // is in quotes (Amazon CloudWatch User Guide, "CloudWatch search expression syntax").
      expression: `SEARCH('{"${metricsNamespace(settings)}",service,${problemMetric.dimension}} MetricName="${problemMetric.name}"', 'Sum')`,
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

const callers = ({ settings, functions, endpoints, consumers }: ServiceDashboardProps) => {
  const each = (of: readonly ServiceFunction[], name: MetricName) =>
    of.map(({ file }) => recorded(settings, file, name, { label: `${file} ${name}` }));
  return [
    graph('Cold starts', each(functions, 'ColdStart')),
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

const queues = ({ settings, readers, consumers }: ServiceDashboardProps) => {
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
    graph(
      'Dead letters',
      [...named, ...Object.entries(readers)].map(([label, { deadLetters }]) =>
        deadLetters.count(label),
      ),
    ),
  ];
};

const limits = ({ settings, table, functions, readers }: ServiceDashboardProps) => {
  const sum = (name: string) => table.metric(name, { statistic: Stats.SUM, label: name });
  return [
    graph(
      'Errors',
      functions.map((each) => each.metricErrors({ label: each.file })),
    ),
    ...(settings.firewall ? [graph('Blocked by the firewall', [blockedRequests(settings)])] : []),
    graph('Throttles', [
      ...functions.map((each) => each.metricThrottles({ label: each.file })),
      sum('ReadThrottleEvents'),
      sum('WriteThrottleEvents'),
    ]),
    graph('Consumed capacity, units', [
      sum('ConsumedReadCapacityUnits'),
      sum('ConsumedWriteCapacityUnits'),
    ]),
    graph(
      'Lag of the outbox and of the events, ms',
      Object.values(readers).map(({ function: reader }) =>
        reader.metric('IteratorAge', { statistic: Stats.MAXIMUM, label: reader.file }),
      ),
    ),
  ];
};

/** A third of a row. */
const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 8 });
