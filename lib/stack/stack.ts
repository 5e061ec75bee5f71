import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { TableAccess } from '../../functions/contract/access.ts';
import { endTimes } from '../../functions/domain/offer.ts';
import {
  maximumMailReceives,
  type OutboxQueue,
  outbox,
  queueVariable,
} from '../../functions/domain/outbox.ts';
import { changingAttributes } from '../../functions/domain/record.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import type { Bundles } from '../bundles/bundles.ts';
import { operationIds, operations } from '../openapi/operations.ts';
import { Alarms, period, sum, throttles } from './alarms.ts';
import { PaymentsApi, type PaymentsApiProps } from './api.ts';
import { ServiceDashboard } from './dashboard.ts';
import { Events } from './events.ts';
import { Firewall } from './firewall.ts';
import { Mail } from './mail.ts';
import { recorded } from './metrics.ts';
import { OperatorAccess } from './operator-access.ts';
import { QueueConsumer, type QueueConsumerProps } from './queue-consumer.ts';
import { allowOnlySenders } from './record-senders.ts';
import { Rollout } from './rollout.ts';
import { addSavedQueries } from './saved-queries.ts';
import {
  consumerTimeout,
  endpointTimeout,
  printedArnIn,
  ServiceFunction,
  type ServiceFunctionProps,
} from './service-function.ts';
import type { Settings } from './settings.ts';
import { StreamReader } from './stream-reader.ts';
import { PaymentsTable } from './table.ts';
import { allowTable } from './table-access.ts';

/** The access that ending a delivery attempt needs, after its sending and after an event of SES. */
const ending = {
  reads: ['GetItem'],
  updates: {
    in: ['offers'],
    attributes: [
      'status',
      'reason',
      'message_id',
      'lease_ends',
      'updated',
      ...Object.values(endTimes),
    ],
  },
} as const satisfies TableAccess;

/** Sending also counts `takes`: how often an attempt was taken and not put back. */
const delivering: TableAccess = {
  ...ending,
  updates: { in: ['offers'], attributes: ['takes', ...ending.updates.attributes] },
};

/** A function that consumes a queue, and what it does with the table. */
type Consumer = Omit<QueueConsumerProps, keyof ServiceFunctionProps | 'alarms'> & {
  readonly name: string;
  readonly access: TableAccess;
};

/** What consumes each queue, by the queue's name in alarms, outputs and on the dashboard. */
const queues: Record<OutboxQueue | 'MailEvents' | 'Import', Consumer> = {
  Provisioning: {
    name: outbox.Provisioning.consumer,
    access: {
      reads: ['GetItem'],
      creates: ['testWorkspaces', 'testAccounts', 'paymentRequests', 'offers'],
      updates: { in: ['workspaces'], attributes: ['status', 'updated'] },
    },
    impact: 'its sandbox stays provisioning',
  },
  Delivery: {
    name: outbox.Delivery.consumer,
    access: delivering,
    // Each mail waits alone, for its own reason.
    batchSize: 1,
    maxReceiveCount: maximumMailReceives,
    impact: 'its offer may not have been mailed',
  },
  MailEvents: {
    name: 'record-mail-event',
    access: ending,
    impact: 'a mail that has bounced still shows sent',
  },
  Import: {
    name: 'import-record',
    access: {
      reads: ['GetItem'],
      creates: ['paymentRequests', 'offers'],
      updates: {
        in: ['paymentRequests', 'offers'],
        attributes: changingAttributes,
      },
    },
    // A first load of a million records leaves the account's concurrency to the endpoints.
    maximumConcurrency: 10,
    impact: 'its record is out of date',
  },
};

export class PaymentsStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, bundles: Bundles) {
    super(scope, id, {
      env: settings.env,
      permissionsBoundary: settings.permissionsBoundary,
      description: `Workforce payments service (${settings.stage})`,
      // CloudFormation gives them to its resources, and bills show them.
      tags: { project: 'workforce-payments', stage: settings.stage },
      // Deleting the stack would keep the table and lose the messages in the queues.
      terminationProtection: settings.keepData,
    });

    const alarms = new Alarms(this, 'Alarms', settings);
    const table = new PaymentsTable(this, 'Table', settings);
    const rollout =
      settings.rollout === 'replace' ? undefined : new Rollout(this, 'Rollout', settings);
    const consumerProps = { bundles, settings, alarms, timeout: consumerTimeout };
    const consumers = addConsumers(this, table, consumerProps);
    const mail = addMail(this, consumerProps, consumers);
    const relay = addOutbox(this, table, consumerProps, consumers);
    const events = new Events(this, 'Events', { ...consumerProps, table });
    events.allowRefusals(consumers.Import.function);
    const endpointProps = {
      bundles,
      settings,
      rollout,
      timeout: endpointTimeout,
      environment: { TABLE_NAME: table.tableName },
      reservedConcurrency: settings.reservedConcurrency,
    };
    const authorizer = new ServiceFunction(this, 'Authorize', {
      ...endpointProps,
      name: 'authorize',
    });
    allowTable(authorizer, table.tableArn, { reads: ['GetItem'] });
    const endpoints = addEndpoints(this, table, endpointProps);

    const api = new PaymentsApi(this, 'Api', { settings, alarms, authorizer, endpoints });
    const firewall =
      settings.firewall &&
      new Firewall(this, 'Firewall', {
        stageArn: api.deploymentStage.stageArn,
        settings,
        alarms,
        limits: settings.firewall,
      });

    const readers = { Outbox: relay, Events: events.publisher };
    const consumerFunctions = [...Object.values(readers), ...Object.values(consumers)].map(
      (each) => each.function,
    );
    addConsumerAlarms(alarms, settings, consumerFunctions, Object.values(consumers));
    const handlers = endpoints.map((endpoint) => endpoint.function);
    const functions = [authorizer, ...handlers, ...consumerFunctions];
    const shown = { api, table, functions, endpoints: handlers, readers, consumers };
    const dashboard = new ServiceDashboard(this, 'Dashboard', { settings, ...shown });
    const logGroups = [
      ...[api.accessLogs, ...functions.map(({ logGroup }) => logGroup)],
      ...(firewall ? [firewall.logGroup] : []),
    ];
    addSavedQueries(this, settings, logGroups);
    const operators = new OperatorAccess(this, 'OperatorAccess', {
      operators: settings.operators,
      table,
      bus: events.bus,
      consumers,
      readers,
      logGroups,
      configurationSet: mail.configurationSet,
      dashboard,
    });
    events.denyOthers(consumers.Import.function.role, operators.role);
    allowOnlySenders(consumers.Import.queue, settings.recordSenders, operators.role);
    addOutputs(this, settings, { api, table, events, readers, consumers, mail, operators });
  }
}

type ConsumerProps = Omit<QueueConsumerProps, 'name' | 'environment' | 'impact'>;

type Consumers = Readonly<Record<keyof typeof queues, QueueConsumer>>;

const addConsumers = (stack: Stack, table: PaymentsTable, props: ConsumerProps): Consumers =>
  Object.fromEntries(
    Object.entries(queues).map(([queue, { access, ...consumer }]) => {
      const added = new QueueConsumer(stack, queue, {
        ...props,
        ...consumer,
        environment: { TABLE_NAME: table.tableName },
        // SES refuses the mails that exceed the account's sending rate, so few are sent at once: a
        // mail better waits in the queue than in a function.
        ...(queue === 'Delivery' && { maximumConcurrency: props.settings.mailsAtOnce }),
      });
      allowTable(added.function, table.tableArn, access);
      return [queue, added];
    }),
  ) as Consumers;

const addConsumerAlarms = (
  alarms: Alarms,
  settings: Settings,
  functions: readonly ServiceFunction[],
  consumers: readonly QueueConsumer[],
): void => {
  alarms.add('ThrottledConsumers', {
    means:
      'Lambda has throttled functions that read queues or the stream: what they read waits, and messages become dead letters after an hour or more of it.',
    metric: throttles(functions),
    threshold: 0,
  });
  // SQS leaves a message that was received three times out of the age of the oldest message
  // (Amazon SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS").
  alarms.add('FailingConsumers', {
    means:
      'For 15 minutes functions that read queues have failed: their messages come again, and become dead letters after an hour or more.',
    metric: sum(
      consumers.flatMap(({ function: each }) => [
        each.metricErrors({ period }),
        recorded(settings, each.file, 'MessageFailed', { period }),
      ]),
    ),
    threshold: 0,
    periods: 3,
  });
};

/** SES's configuration, the permission to send with it, and what a mail needs that must wait. */
const addMail = (stack: Stack, { settings, alarms }: ConsumerProps, consumers: Consumers): Mail => {
  const mail = new Mail(stack, 'Mail', {
    settings,
    alarms,
    delivery: consumers.Delivery,
    events: consumers.MailEvents,
  });
  const deliver = consumers.Delivery.function;
  deliver.addEnvironment('SENDER', settings.sender);
  deliver.addEnvironment('CONFIGURATION_SET', mail.configurationSet.configurationSetName);
  if (settings.replyTo) deliver.addEnvironment('REPLY_TO', settings.replyTo);
  if (settings.offerUrl) deliver.addEnvironment('OFFER_URL', settings.offerUrl);
  deliver.allow(['ses:SendEmail'], mail.arns, {
    StringEquals: { 'ses:FromAddress': settings.sender },
  });
  const { queue } = consumers.Delivery;
  deliver.addEnvironment('QUEUE_URL', queue.queueUrl);
  deliver.allow(['sqs:ChangeMessageVisibility'], queue.queueArn);
  deliver.acknowledgeWildcard(
    printedArnIn(stack, 'ses', 'identity/*'),
    'A recipient may be an identity of the account too. A condition names the one sender.',
  );
  return mail;
};

const addOutbox = (
  stack: Stack,
  table: PaymentsTable,
  props: ConsumerProps,
  consumers: Consumers,
): StreamReader => {
  const written = Object.keys(outbox).map(
    (name) => [name, consumers[name as OutboxQueue].queue] as const,
  );
  const relay = new StreamReader(stack, 'Outbox', {
    ...props,
    name: 'relay-outbox',
    alarmPrefix: 'Outbox',
    impact: 'sandboxes stay provisioning and mails are not sent',
    environment: {
      TABLE_NAME: table.tableName,
      ...Object.fromEntries(written.map(([name, queue]) => [queueVariable(name), queue.queueUrl])),
    },
    table,
    changes: Object.values(outbox).map(({ type, status }) => ({ item: type, status })),
    queues: written.map(([, queue]) => queue),
  });
  allowTable(relay.function, table.tableArn, { reads: ['GetItem'] });
  return relay;
};

const addEndpoints = (
  stack: Stack,
  table: PaymentsTable,
  props: Omit<ServiceFunctionProps, 'name'>,
): PaymentsApiProps['endpoints'] =>
  operationIds.map((operation) => {
    const route: Route = routes[operation];
    const handler = new ServiceFunction(stack, pascalCase(operation), {
      ...props,
      name: route.functionName,
    });
    allowTable(handler, table.tableArn, operations[operation].access);
    return { route, function: handler };
  });

interface Outputs {
  readonly api: PaymentsApi;
  readonly table: PaymentsTable;
  readonly events: Events;
  readonly readers: Readonly<Record<string, StreamReader>>;
  readonly consumers: Consumers;
  readonly mail: Mail;
  readonly operators: OperatorAccess;
}

/** What callers, operators and `bin/wfp` need to find the service. */
const addOutputs = (
  stack: Stack,
  { keepData }: Settings,
  { api, table, events, readers, consumers, mail, operators }: Outputs,
): void => {
  new CfnOutput(stack, 'ApiUrl', { value: api.baseUrl, description: 'The base URL of the API' });
  new CfnOutput(stack, 'ApiGatewayUrl', {
    value: api.url,
    description: "The same at API Gateway's own address, which needs no DNS record of yours",
  });
  new CfnOutput(stack, 'TableName', { value: table.tableName });
  new CfnOutput(stack, 'KeepData', {
    value: String(keepData),
    description: 'Whether table and logs outlive the stack',
  });
  new CfnOutput(stack, 'MailConfigurationSet', {
    value: mail.configurationSet.configurationSetName,
  });
  for (const [name, { queue }] of Object.entries(consumers)) {
    new CfnOutput(stack, `${name}QueueUrl`, { value: queue.queueUrl });
  }
  for (const [name, { deadLetters, mapping }] of Object.entries({ ...consumers, ...readers })) {
    new CfnOutput(stack, `${name}DeadLettersUrl`, { value: deadLetters.queueUrl });
    new CfnOutput(stack, `${name}MappingId`, { value: mapping.eventSourceMappingId });
  }
  new CfnOutput(stack, 'EventBusArn', {
    value: events.bus.eventBusArn,
    description: 'The bus whose rules get the events',
  });
  new CfnOutput(stack, 'EventArchiveArn', { value: events.archive.archiveArn });
  const { commands, runbook } = operators.policies;
  new CfnOutput(stack, 'OperatorsPolicyArn', { value: commands.managedPolicyArn });
  new CfnOutput(stack, 'OperatorsRunbookPolicyArn', { value: runbook.managedPolicyArn });
  new CfnOutput(stack, 'OperatorsRoleArn', {
    value: operators.role.roleArn,
    description: 'The role that operators assume for the command line',
  });
};

const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
