import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import {
  maximumWaits,
  type OutboxQueue,
  outbox,
  queueVariable,
} from '../functions/domain/outbox.ts';
import { type Route, routes } from '../functions/domain/routes.ts';
import { endTimes } from '../functions/store/attributes.ts';
import { Alarms } from './alarms.ts';
import { PaymentsApi, type PaymentsApiProps } from './api.ts';
import type { Bundles } from './bundles/bundles.ts';
import { ServiceDashboard } from './dashboard.ts';
import { Events } from './events.ts';
import { Firewall } from './firewall.ts';
import { outboxChanges } from './item-changes.ts';
import { Mail } from './mail.ts';
import { allFunctions, type MonitoredResources } from './monitored-resources.ts';
import { OperatorAccess } from './operator-access.ts';
import { Operators } from './operators.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { Rollout } from './rollout.ts';
import { SavedQueries } from './saved-queries.ts';
import {
  consumerTimeout,
  endpointTimeout,
  ServiceFunction,
  type ServiceFunctionProps,
} from './service-function.ts';
import type { Settings } from './settings.ts';
import { StreamReader } from './stream-reader.ts';
import { PaymentsTable } from './table.ts';
import { allowTable, partitions, type TableAccess } from './table-access.ts';

const { paymentRequests, offers, workspaces, testWorkspaces, testAccounts } = partitions;

/** What each endpoint does with the table. */
const endpointAccess: Record<keyof typeof routes, TableAccess> = {
  approvePaymentRequest: {
    reads: ['GetItem', 'Query'],
    creates: [paymentRequests],
    changes: { in: [paymentRequests], attributes: ['status'] },
    claims: true,
  },
  createSandbox: { reads: ['GetItem'], creates: [workspaces], claims: true },
  listSandboxes: { reads: ['GetItem', 'Query'] },
  resendOffer: {
    reads: ['GetItem'],
    creates: [offers],
    changes: { in: [offers], attributes: ['status', 'attempts', 'updated'] },
    claims: true,
  },
};

/** The access that ending a delivery attempt needs, after its sending and after an event of SES. */
const ending = {
  reads: ['GetItem'],
  changes: {
    in: [offers],
    attributes: [
      ...['status', 'reason', 'message_id', 'lease_ends', 'updated'],
      ...Object.values(endTimes),
    ],
  },
} as const satisfies TableAccess;

/** Sending counts how often an attempt is taken, and how often SES makes it wait. */
const delivering: TableAccess = {
  ...ending,
  changes: { in: [offers], attributes: ['takes', 'waits', ...ending.changes.attributes] },
};

/** What the consumer of each message does with the table. */
const consumerAccess: Record<OutboxQueue, TableAccess> = {
  Provisioning: {
    reads: ['GetItem'],
    creates: [testWorkspaces, testAccounts, paymentRequests, offers],
    changes: { in: [workspaces], attributes: ['status', 'updated'] },
  },
  Delivery: delivering,
};

/** The output that names an imported table: `npm run deploy` reads it. */
export const importedTableOutput = 'ImportedTable';

/** The output that says whether the stage keeps its data: `npm run deploy` reads it. */
export const keepDataOutput = 'KeepData';

/** The whole service of one stage. */
export class PaymentsStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, bundles: Bundles) {
    super(scope, id, {
      description: `Workforce payments service (${settings.stage})`,
      // Deleting the stack would keep the table and lose the messages in the queues.
      terminationProtection: settings.keepData,
    });

    const table = new PaymentsTable(this, 'Table', settings);
    const rollout =
      settings.rollout === 'replace' ? undefined : new Rollout(this, 'Rollout', settings, bundles);
    const common = { bundles, settings, rollout };
    const consumerProps = { ...common, timeout: consumerTimeout };
    const consumers = addConsumers(this, table, consumerProps);
    const mail = addMail(this, settings, consumers);
    const relay = addOutbox(this, table, consumerProps, consumers);
    const events = new Events(this, 'Events', { ...consumerProps, table });
    const endpointProps = {
      ...common,
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

    const api = new PaymentsApi(this, 'Api', { settings, authorizer: authorizer.live, endpoints });
    if (settings.firewall) {
      new Firewall(this, 'Firewall', {
        stageArn: api.deploymentStage.stageArn,
        settings,
        limits: settings.firewall,
      });
    }

    const functions = endpoints.map(({ function: handler }) => handler);
    const monitored = {
      api,
      table,
      authorizer,
      endpoints: functions,
      outbox: relay,
      events,
      consumers,
    };
    new ServiceDashboard(this, 'Dashboard', settings, monitored);
    new SavedQueries(this, 'SavedQueries', {
      settings,
      logGroups: [api.accessLogs, ...allFunctions(monitored).map(({ logGroup }) => logGroup)],
    });
    new Alarms(this, 'Alarms', settings, monitored, new Operators(this, 'Operators', settings));
    const operators = new OperatorAccess(this, 'OperatorAccess', monitored);
    events.denyOthers(operators.role);
    addOutputs(this, settings, monitored, mail, operators);
  }
}

type ConsumerProps = Omit<ServiceFunctionProps, 'name' | 'environment'>;

/** The queues, and the functions that consume them. */
const addConsumers = (
  stack: Stack,
  table: PaymentsTable,
  props: ConsumerProps,
): MonitoredResources['consumers'] => {
  // SES refuses the mails that exceed the account's sending rate, so few are sent at once: a mail
  // better waits in the queue than in a function. Each waits alone, for its own reason.
  const delivery = {
    maximumConcurrency: props.settings.mailsAtOnce,
    batchSize: 1,
    maximumWaits,
  };
  const consumerOf = (queue: string, name: string, access: TableAccess) => {
    const consumer = new QueueConsumer(stack, queue, {
      ...props,
      name,
      environment: { TABLE_NAME: table.tableName },
      ...(queue === 'Delivery' && delivery),
    });
    allowTable(consumer.function, table.tableArn, access);
    return consumer;
  };
  const outboxConsumers = Object.fromEntries(
    Object.entries(outbox).map(([queue, { consumer }]) => [
      queue,
      consumerOf(queue, consumer, consumerAccess[queue as OutboxQueue]),
    ]),
  ) as Record<OutboxQueue, QueueConsumer>;
  return {
    ...outboxConsumers,
    MailEvents: consumerOf('MailEvents', 'record-mail-event', ending),
  };
};

/** SES's configuration, the permission to send with it, and what a mail needs that must wait. */
const addMail = (
  stack: Stack,
  settings: Settings,
  consumers: MonitoredResources['consumers'],
): Mail => {
  const mail = new Mail(stack, 'Mail', { settings, events: consumers.MailEvents });
  const deliver = consumers.Delivery.function;
  deliver.addEnvironment('SENDER', settings.sender);
  deliver.addEnvironment('CONFIGURATION_SET', mail.configurationSet.configurationSetName);
  if (settings.replyTo) deliver.addEnvironment('REPLY_TO', settings.replyTo);
  if (settings.offerUrl) deliver.addEnvironment('OFFER_URL', settings.offerUrl);
  deliver.allow(['ses:SendEmail'], mail.arns, {
    StringEquals: { 'ses:FromAddress': settings.sender },
  });
  const { queue, deadLetters } = consumers.Delivery;
  deliver.addEnvironment('QUEUE_URL', queue.queueUrl);
  deliver.allow(['sqs:ChangeMessageVisibility'], queue.queueArn);
  deliver.addEnvironment('DEAD_LETTERS_URL', deadLetters.queueUrl);
  deliver.allow(['sqs:SendMessage'], deadLetters.queueArn);
  deliver.acknowledgeWildcard(
    'arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/*',
    'A recipient may be an identity of the account too. A condition names the one sender.',
  );
  return mail;
};

/** The function that sends the messages of the outbox to their queues. */
const addOutbox = (
  stack: Stack,
  table: PaymentsTable,
  props: ConsumerProps,
  consumers: MonitoredResources['consumers'],
): StreamReader => {
  const queues = Object.keys(outbox).map(
    (name) => [name, consumers[name as OutboxQueue].queue] as const,
  );
  return new StreamReader(stack, 'Outbox', {
    ...props,
    name: 'relay-outbox',
    environment: Object.fromEntries(
      queues.map(([name, queue]) => [queueVariable(name), queue.queueUrl]),
    ),
    table,
    changes: outboxChanges,
    queues: queues.map(([, queue]) => queue),
  });
};

/** A function for each route. */
const addEndpoints = (
  stack: Stack,
  table: PaymentsTable,
  props: Omit<ServiceFunctionProps, 'name'>,
): PaymentsApiProps['endpoints'] => {
  const cursorSecret = new CursorSecret(stack, 'CursorSecret');
  return Object.entries<Route>(routes).map(([operation, route]) => {
    const handler = new ServiceFunction(stack, pascalCase(operation), {
      ...props,
      name: route.functionName,
    });
    allowTable(handler, table.tableArn, endpointAccess[operation as keyof typeof routes]);
    if (route === routes.listSandboxes) {
      handler.allow(['secretsmanager:GetSecretValue'], cursorSecret.secretArn);
      handler.addEnvironment('CURSOR_SECRET_ARN', cursorSecret.secretArn);
    }
    return { route, function: handler };
  });
};

/** What callers, operators and `npm run admin` need to find the service. */
const addOutputs = (
  stack: Stack,
  { importedTable, keepData }: Settings,
  { api, table, outbox: relay, events, consumers }: MonitoredResources,
  mail: Mail,
  operators: OperatorAccess,
): void => {
  new CfnOutput(stack, 'ApiUrl', { value: api.baseUrl, description: 'The base URL of the API' });
  new CfnOutput(stack, 'TableName', { value: table.tableName });
  if (importedTable) new CfnOutput(stack, importedTableOutput, { value: importedTable });
  new CfnOutput(stack, keepDataOutput, { value: String(keepData) });
  new CfnOutput(stack, 'MailConfigurationSet', {
    value: mail.configurationSet.configurationSetName,
  });
  for (const [name, { queue, deadLetters }] of Object.entries(consumers)) {
    new CfnOutput(stack, `${name}QueueUrl`, { value: queue.queueUrl });
    new CfnOutput(stack, `${name}DeadLettersUrl`, { value: deadLetters.queueUrl });
  }
  new CfnOutput(stack, 'OutboxDeadLettersUrl', { value: relay.deadLetters.queueUrl });
  new CfnOutput(stack, 'EventsDeadLettersUrl', { value: events.publisher.deadLetters.queueUrl });
  new CfnOutput(stack, 'EventBusArn', {
    value: events.bus.eventBusArn,
    description: 'The bus whose rules get the events',
  });
  new CfnOutput(stack, 'EventArchiveArn', { value: events.archive.archiveArn });
  new CfnOutput(stack, 'OperatorsPolicyArn', { value: operators.policy.managedPolicyArn });
  new CfnOutput(stack, 'OperatorsRoleArn', {
    value: operators.role.roleArn,
    description: 'The role that operators assume for the command line',
  });
};

/** The key that authenticates cursors. lib/DEPLOY.md says how to rotate it. */
class CursorSecret extends Secret {
  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'Authenticates the cursors of lists',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'It protects no data: its holder could only forge a position in their own list. One command rotates it, and functions accept the previous key too.',
    });
  }
}

const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
