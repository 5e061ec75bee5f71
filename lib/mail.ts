import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
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

/** What the mail needs of the rest of the stack. */
export interface MailProps {
  readonly settings: Settings;
  /** Receives SES's events about each mail. */
  readonly events: QueueConsumer;
}

/** SES's configuration for the stage's mail, and the route of its events. */
export class Mail extends Construct {
  readonly configurationSet: ConfigurationSet;
  /** The resources that a function needs permission for to send mail. */
  readonly arns: readonly string[];

  constructor(scope: Construct, id: string, { settings, events }: MailProps) {
    super(scope, id);
    this.configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      reputationMetrics: true,
      // SES sends no further mail to an address that bounced or complained; repeated bounces would
      // make SES pause the account.
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    const { configurationSetName } = this.configurationSet;
    const stack = Stack.of(this);
    const arn = (resource: string, resourceName: string) =>
      stack.formatArn({ service: 'ses', resource, resourceName });
    // SES checks permission for the configuration set too (aws/aws-cdk#34402), and for a recipient
    // that is an identity of the account, as all are in SES's sandbox
    // (cloudposse/terraform-aws-ses#40).
    this.arns = [arn('identity', '*'), arn('configuration-set', configurationSetName)];
    if (settings.createSenderIdentity) this.#verify(settings);

    // SES publishes only to the default bus, where the events of all stages arrive.
    this.configurationSet.addEventDestination('Events', {
      destination: EventDestination.eventBus(
        EventBus.fromEventBusName(this, 'DefaultBus', 'default'),
      ),
      events: [EmailSendingEvent.DELIVERY, EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    new Rule(this, 'Ends', {
      description: 'Delivery, bounce and complaint events of the mails with offers',
      eventPattern: {
        source: ['aws.ses'],
        detailType: ['Email Delivered', 'Email Bounced', 'Email Complaint Received'],
        detail: { mail: { tags: { 'ses:configuration-set': [configurationSetName] } } },
      },
      targets: [new SqsQueue(events.queue, { deadLetterQueue: events.deadLetters })],
    });
  }

  /** SES sends a verification link to an address; a domain needs these records in its DNS. */
  #verify({ senderIdentity: name, removalPolicy }: Settings): void {
    const isAddress = name.includes('@');
    const identity = new EmailIdentity(this, 'Identity', {
      identity: isAddress ? Identity.email(name) : Identity.domain(name),
      // Bounces arrive as events; a copy by mail would go to an address that is not read.
      feedbackForwarding: false,
    });
    if (removalPolicy === RemovalPolicy.RETAIN) {
      // A first deployment that fails takes it along, or the next one could not create it.
      identity.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    }
    if (isAddress) return;
    for (const [index, record] of identity.dkimRecords.entries()) {
      new CfnOutput(Stack.of(this), `DkimRecord${index + 1}`, {
        value: `${record.name} CNAME ${record.value}`,
        description: `Prove to SES that ${name} is yours with this DNS record`,
      });
    }
  }
}
