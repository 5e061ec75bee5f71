import { CfnOutput, Stack, Validations } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { type Route, routes } from '../functions/domain/routes.ts';
import { outboxChanges } from '../functions/store/attributes.ts';
import { Alarms } from './alarms.ts';
import { PaymentsApi } from './api.ts';
import type { Bundles } from './bundles.ts';
import { ServiceDashboard } from './dashboard.ts';
import { Events } from './events.ts';
import { Firewall } from './firewall.ts';
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

/** What the end of a delivery attempt, which SES or its sending brings, changes. */
const endings = ['status', 'reason', 'message_id', 'lease_ends', 'updated'];

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

    const provisioning = new QueueConsumer(this, 'Provisioning', {
      ...consumerProps,
      name: 'provision-sandbox',
      environment: tableEnvironment,
    });
    allowTable(provisioning.function, tableArn, {
      reads: ['GetItem'],
      creates: [testWorkspaces, testAccounts, paymentRequests, offers],
      changes: { in: [workspaces], attributes: ['status', 'updated'] },
    });

    const mailEvents = new QueueConsumer(this, 'MailEvents', {
      ...consumerProps,
      name: 'record-mail-event',
      environment: tableEnvironment,
    });
    const ending: TableAccess = {
      reads: ['GetItem'],
      changes: { in: [offers], attributes: endings },
    };
    allowTable(mailEvents.function, tableArn, ending);
    const mail = new Mail(this, 'Mail', { settings, events: mailEvents });

    const delivery = new QueueConsumer(this, 'Delivery', {
      ...consumerProps,
      name: 'deliver-offer',
      environment: {
        ...tableEnvironment,
        SENDER: settings.sender,
        CONFIGURATION_SET: mail.configurationSet.configurationSetName,
      },
      // SES throttles an account that exceeds its sending rate, and a message that is rejected five times
      // becomes a dead letter: it is better that it waits in the queue.
      maximumConcurrency: settings.deliveryConcurrency,
    });
    allowTable(delivery.function, tableArn, ending);
    delivery.function.allow(['ses:SendEmail'], mail.arns, {
      StringEquals: { 'ses:FromAddress': settings.sender },
    });

    const outbox = new StreamReader(this, 'Outbox', {
      ...consumerProps,
      name: 'relay-outbox',
      environment: {
        PROVISIONING_QUEUE_URL: provisioning.queue.queueUrl,
        DELIVERY_QUEUE_URL: delivery.queue.queueUrl,
      },
      table,
      changes: outboxChanges,
      queues: [provisioning.queue, delivery.queue],
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

    const consumers = { Provisioning: provisioning, Delivery: delivery, MailEvents: mailEvents };
    const parts = {
      api,
      table,
      authorizer,
      endpoints: endpoints.map(({ function: handler }) => handler),
      outbox,
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
    new CfnOutput(this, 'MailConfigurationSet', {
      value: mail.configurationSet.configurationSetName,
    });
    for (const [name, { queue, deadLetters }] of Object.entries(consumers)) {
      new CfnOutput(this, `${name}QueueUrl`, { value: queue.queueUrl });
      new CfnOutput(this, `${name}DeadLettersUrl`, { value: deadLetters.queueUrl });
    }
    new CfnOutput(this, 'OutboxDeadLettersUrl', { value: outbox.deadLetters.queueUrl });
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
