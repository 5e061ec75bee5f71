import { Duration, Stack } from 'aws-cdk-lib';
import {
  ApiDestination,
  Authorization,
  Connection,
  EventBus,
  Rule,
  RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { ApiDestination as ApiDestinationTarget } from 'aws-cdk-lib/aws-events-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { alarmsOf, newLetters } from './alarms.ts';

/** Sends the events of one workspace to an HTTP endpoint. */
export class WebhookStack extends Stack {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const connection = new Connection(this, 'Connection', {
      authorization: Authorization.apiKey('X-Api-Key', new Secret(this, 'ApiKey').secretValue),
    });
    const deadLetters = new Queue(this, 'DeadLetters', {
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    const endpoint = new ApiDestination(this, 'Endpoint', {
      connection,
      endpoint: 'https://hooks.example.com/payments',
      rateLimitPerSecond: 50,
    });
    new Rule(this, 'Webhook', {
      eventBus: EventBus.fromEventBusName(this, 'Bus', 'WorkforcePayments-prod'),
      eventPattern: {
        source: ['workforce-payments'],
        detail: { workspace: ['wsp_1'], livemode: [true] },
      },
      targets: [
        new ApiDestinationTarget(endpoint, {
          // The event itself, as openapi.json describes it under `webhooks`.
          event: RuleTargetInput.fromEventPath('$.detail'),
          maxEventAge: Duration.hours(24),
          retryAttempts: 185,
          deadLetterQueue: deadLetters,
        }),
      ],
    });
    alarmsOf(this)('Undelivered', {
      ...newLetters(deadLetters),
      alarmDescription:
        'The endpoint has not taken an event: it is a dead letter. lib/EVENTS.md#consumers-on-a-stage',
    });
  }
}
