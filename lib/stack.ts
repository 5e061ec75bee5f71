import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { type OutboxQueue, outbox, queueVariable } from '../functions/domain/outbox.ts';
import { type Route, routes } from '../functions/domain/routes.ts';
import { endTimes } from '../functions/store/attributes.ts';
import { Alarms } from './alarms.ts';
import { PaymentsApi } from './api.ts';
import type { Bundles } from './bundles.ts';
import { ServiceDashboard } from './dashboard.ts';
import { Events } from './events.ts';
import { Firewall } from './firewall.ts';
import { outboxChanges } from './item-changes.ts';
import { Mail } from './mail.ts';
import { Operators } from './operators.ts';
import { allFunctions } from './parts.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { ReleaseValidation } from './release-validation.ts';
import { Rollout } from './rollout.ts';
import { SavedQueries } from './saved-queries.ts';
import { consumerTimeout, endpointTimeout, ServiceFunction } from './service-function.ts';
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
const ending: TableAccess = {
  reads: ['GetItem'],
  changes: {
    in: [offers],
    attributes: [
      ...['status', 'reason', 'message_id', 'lease_ends', 'updated'],
      ...Object.values(endTimes),
    ],
  },
};

/** What the consumer of each message does with the table. */
const consumerAccess: Record<OutboxQueue, TableAccess> = {
  Provisioning: {
    reads: ['GetItem'],
    creates: [testWorkspaces, testAccounts, paymentRequests, offers],
    changes: { in: [workspaces], attributes: ['status', 'updated'] },
  },
  Delivery: ending,
};

/** The output that names an imported table: `npm run deploy` reads it. */
export const importedTableOutput = 'ImportedTable';

/** The whole service of one stage. */
export class PaymentsStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, bundles: Bundles) {
    super(scope, id, {
      description: `Workforce payments service (${settings.stage})`,
      // Deleting the stack would keep the table and lose the messages in the queues.
      terminationProtection: settings.stage === 'prod',
    });

    const table = new PaymentsTable(this, 'Table', settings);
    const { tableArn } = table;
    const rollout =
      settings.rollout === 'replace' ? undefined : new Rollout(this, 'Rollout', settings);
    const common = { bundles, settings, rollout };
    const tableEnvironment = { TABLE_NAME: table.tableName };
    const consumerProps = { ...common, timeout: consumerTimeout };

    // SES throttles an account that exceeds its sending rate, and a message that is rejected five
    // times becomes a dead letter: it is better that it waits in the queue.
    const concurrency: Readonly<Record<string, number>> = {
      Delivery: settings.deliveryConcurrency,
    };
    const consumerOf = (queue: string, name: string, access: TableAccess) => {
      const consumer = new QueueConsumer(this, queue, {
        ...consumerProps,
        name,
        environment: tableEnvironment,
        maximumConcurrency: concurrency[queue],
      });
      allowTable(consumer.function, tableArn, access);
      return consumer;
    };
    const outboxConsumers = Object.fromEntries(
      Object.entries(outbox).map(([queue, { consumer }]) => [
        queue,
        consumerOf(queue, consumer, consumerAccess[queue as OutboxQueue]),
      ]),
    ) as Record<OutboxQueue, QueueConsumer>;
    const mailEvents = consumerOf('MailEvents', 'record-mail-event', ending);

    const mail = new Mail(this, 'Mail', { settings, events: mailEvents });
    const { configurationSetName } = mail.configurationSet;
    const deliver = outboxConsumers.Delivery.function;
    deliver.addEnvironment('SENDER', settings.sender);
    deliver.addEnvironment('CONFIGURATION_SET', configurationSetName);
    deliver.allow(['ses:SendEmail'], mail.arns, {
      StringEquals: { 'ses:FromAddress': settings.sender },
    });

    const relay = new StreamReader(this, 'Outbox', {
      ...consumerProps,
      name: 'relay-outbox',
      environment: Object.fromEntries(
        Object.entries(outboxConsumers).map(([name, { queue }]) => [
          queueVariable(name),
          queue.queueUrl,
        ]),
      ),
      table,
      changes: outboxChanges,
      queues: Object.values(outboxConsumers).map(({ queue }) => queue),
    });
    const events = new Events(this, 'Events', { ...consumerProps, table });

    const endpointProps = {
      ...common,
      timeout: endpointTimeout,
      environment: tableEnvironment,
      reservedConcurrency: settings.reservedConcurrency,
    };
    const authorizer = new ServiceFunction(this, 'Authorize', {
      ...endpointProps,
      name: 'authorize',
    });
    allowTable(authorizer, tableArn, { reads: ['GetItem'] });

    const cursorSecret = new CursorSecret(this, 'CursorSecret');
    const endpoints = Object.entries<Route>(routes).map(([operation, route]) => {
      const handler = new ServiceFunction(this, pascalCase(operation), {
        ...endpointProps,
        name: route.functionName,
      });
      allowTable(handler, tableArn, endpointAccess[operation as keyof typeof routes]);
      if (route === routes.listSandboxes) {
        handler.allow(['secretsmanager:GetSecretValue'], cursorSecret.secretArn);
        handler.addEnvironment('CURSOR_SECRET_ARN', cursorSecret.secretArn);
      }
      return { route, function: handler };
    });

    const api = new PaymentsApi(this, 'Api', { settings, authorizer: authorizer.live, endpoints });
    if (settings.firewall) {
      new Firewall(this, 'Firewall', {
        stageArn: api.deploymentStage.stageArn,
        ...settings.firewall,
        referenceUrl: settings.referenceUrl,
      });
    }

    // Without the canary nothing stands in the way of a fix, whatever else is broken.
    if (rollout && settings.rollout === 'canary') {
      new ReleaseValidation(this, 'Validation', { bundles, settings, rollout });
    }

    const consumers = { ...outboxConsumers, MailEvents: mailEvents };
    const parts = {
      api,
      table,
      authorizer,
      endpoints: endpoints.map(({ function: handler }) => handler),
      outbox: relay,
      events,
      consumers,
    };
    new ServiceDashboard(this, 'Dashboard', settings, parts);
    new SavedQueries(this, 'SavedQueries', {
      settings,
      logGroups: [api.accessLogs, ...allFunctions(parts).map(({ logGroup }) => logGroup)],
    });
    new Alarms(this, 'Alarms', parts, new Operators(this, 'Operators', settings));

    new CfnOutput(this, 'ApiUrl', { value: api.baseUrl, description: 'The base URL of the API' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    if (settings.importedTable) {
      new CfnOutput(this, importedTableOutput, { value: settings.importedTable });
    }
    new CfnOutput(this, 'MailConfigurationSet', {
      value: configurationSetName,
    });
    for (const [name, { queue, deadLetters }] of Object.entries(consumers)) {
      new CfnOutput(this, `${name}QueueUrl`, { value: queue.queueUrl });
      new CfnOutput(this, `${name}DeadLettersUrl`, { value: deadLetters.queueUrl });
    }
    new CfnOutput(this, 'OutboxDeadLettersUrl', { value: relay.deadLetters.queueUrl });
    new CfnOutput(this, 'EventsDeadLettersUrl', { value: events.publisher.deadLetters.queueUrl });
    new CfnOutput(this, 'EventBusArn', {
      value: events.bus.eventBusArn,
      description: 'The bus whose rules get the events',
    });
    new CfnOutput(this, 'EventArchiveArn', { value: events.archive.archiveArn });
  }
}

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
