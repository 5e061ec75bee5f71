import { CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Construct } from 'constructs';
import { type Route, routes } from '../functions/domain/routes.ts';
import { PaymentsApi } from './api.ts';
import type { Bundles } from './bundles.ts';
import { Outbox } from './outbox.ts';
import { QueueConsumer } from './queue-consumer.ts';
import { consumerTimeout, endpointTimeout, ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';
import { PaymentsTable } from './table.ts';

/** What a keyed request needs beside its own work: Powertools' records. */
const idempotencyActions = [
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
];

/** What each endpoint may do with the table. */
const endpointActions: Record<keyof typeof routes, readonly string[]> = {
  approvePaymentRequest: ['dynamodb:Query', ...idempotencyActions],
  createSandbox: idempotencyActions,
  listSandboxes: ['dynamodb:Query', 'dynamodb:GetItem'],
  resendOffer: idempotencyActions,
};

/** The whole service of one stage. */
export class PaymentsStack extends Stack {
  constructor(scope: Construct, id: string, settings: Settings, bundles: Bundles) {
    super(scope, id, { description: `Workforce payments service (${settings.stage})` });

    const table = new PaymentsTable(this, 'Table', settings);
    const cursorSecret = new Secret(this, 'CursorSecret', {
      description: 'Authenticates the cursors of lists',
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    const common = { bundles, settings };
    const tableEnvironment = { TABLE_NAME: table.tableName };

    const provisioning = new QueueConsumer(this, 'Provisioning', {
      ...common,
      name: 'provision-sandbox',
      timeout: consumerTimeout,
      environment: tableEnvironment,
    });
    table.grant(
      provisioning.function,
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    );

    const delivery = new QueueConsumer(this, 'Delivery', {
      ...common,
      name: 'deliver-offer',
      timeout: consumerTimeout,
      environment: { ...tableEnvironment, SENDER: settings.sender },
    });
    table.grant(delivery.function, 'dynamodb:GetItem', 'dynamodb:UpdateItem');
    delivery.function.addToRolePolicy(
      new PolicyStatement({
        actions: ['ses:SendEmail'],
        // SES names the identity that it verified: the address itself, or its domain.
        resources: [settings.sender, settings.sender.split('@')[1]].map((identity) =>
          this.formatArn({ service: 'ses', resource: 'identity', resourceName: String(identity) }),
        ),
        conditions: { StringEquals: { 'ses:FromAddress': settings.sender } },
      }),
    );

    const outbox = new Outbox(this, 'Outbox', table, {
      ...common,
      name: 'relay-outbox',
      timeout: consumerTimeout,
      environment: {
        PROVISIONING_QUEUE_URL: provisioning.queue.queueUrl,
        DELIVERY_QUEUE_URL: delivery.queue.queueUrl,
      },
    });
    provisioning.queue.grantSendMessages(outbox);
    delivery.queue.grantSendMessages(outbox);

    const authorizer = new ServiceFunction(this, 'Authorize', {
      ...common,
      name: 'authorize',
      timeout: endpointTimeout,
      environment: tableEnvironment,
    });
    table.grant(authorizer, 'dynamodb:GetItem');

    const endpoints = Object.entries<Route>(routes).map(([operation, route]) => {
      const handler = new ServiceFunction(this, pascalCase(operation), {
        ...common,
        name: route.functionName,
        timeout: endpointTimeout,
        environment: tableEnvironment,
      });
      table.grant(handler, ...endpointActions[operation as keyof typeof routes]);
      if (route === routes.listSandboxes) {
        cursorSecret.grantRead(handler);
        handler.addEnvironment('CURSOR_SECRET_ARN', cursorSecret.secretArn);
      }
      return { route, function: handler };
    });

    const api = new PaymentsApi(this, 'Api', { settings, authorizer, endpoints });
    new CfnOutput(this, 'ApiUrl', { value: api.url, description: 'The base URL of the API' });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    for (const [name, { queue, deadLetters }] of Object.entries({
      Provisioning: provisioning,
      Delivery: delivery,
    })) {
      new CfnOutput(this, `${name}QueueUrl`, { value: queue.queueUrl });
      new CfnOutput(this, `${name}DeadLettersUrl`, { value: deadLetters.queueUrl });
    }
  }
}

const pascalCase = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
