import { CfnOutput, Stack } from 'aws-cdk-lib';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import {
  ConfigurationSet,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import type { QueueConsumer } from './queue-consumer.ts';
import type { Settings } from './settings.ts';

export interface MailProps {
  readonly settings: Settings;
  /** Learns from SES what became of each mail. */
  readonly events: QueueConsumer;
}

/** What SES sends the stage's mail with, and the way on which it tells what became of it. */
export class Mail extends Construct {
  readonly configurationSet: ConfigurationSet;
  /** What a function that sends mail must be allowed to use. */
  readonly arns: readonly string[];

  constructor(scope: Construct, id: string, { settings, events }: MailProps) {
    super(scope, id);
    this.configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      reputationMetrics: true,
      // An address that bounced or complained gets no further mail: more of that and SES stops ours.
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    const { configurationSetName } = this.configurationSet;
    const stack = Stack.of(this);
    const arn = (resource: string, resourceName: string) =>
      stack.formatArn({ service: 'ses', resource, resourceName });
    // SES asks for both, the identity and the configuration set (aws/aws-cdk#34402).
    this.arns = [
      arn('identity', settings.senderIdentity),
      arn('configuration-set', configurationSetName),
    ];
    if (settings.createSenderIdentity) this.#verify(settings.senderIdentity);

    // SES publishes to the default bus only, and every stage of the account hears everybody's mail.
    this.configurationSet.addEventDestination('Events', {
      destination: EventDestination.eventBus(
        EventBus.fromEventBusName(this, 'DefaultBus', 'default'),
      ),
      events: [EmailSendingEvent.DELIVERY, EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    new Rule(this, 'Ends', {
      description: 'What became of the mails that offers were sent with',
      eventPattern: {
        source: ['aws.ses'],
        detailType: ['Email Delivered', 'Email Bounced', 'Email Complaint Received'],
        detail: { mail: { tags: { 'ses:configuration-set': [configurationSetName] } } },
      },
      targets: [new SqsQueue(events.queue, { deadLetterQueue: events.deadLetters })],
    });
  }

  /** An address gets a mail with a link; a domain needs these records in its DNS. */
  #verify(name: string): void {
    const isAddress = name.includes('@');
    const identity = new EmailIdentity(this, 'Identity', {
      identity: isAddress ? Identity.email(name) : Identity.domain(name),
      // Bounces come back as events; a copy by mail would go to an address that nobody reads.
      feedbackForwarding: false,
    });
    if (isAddress) return;
    for (const [index, record] of identity.dkimRecords.entries()) {
      new CfnOutput(Stack.of(this), `DkimRecord${index + 1}`, {
        value: `${record.name} CNAME ${record.value}`,
        description: `Prove to SES that ${name} is yours with this DNS record`,
      });
    }
  }
}
