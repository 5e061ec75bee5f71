import { Annotations, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
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
    if (settings.removalPolicy === RemovalPolicy.RETAIN && isAddress(settings.senderIdentity)) {
      // SES then signs with its own domain and sends from it, and neither is that of the sender
      // (SES Developer Guide, "Complying with DMARC authentication protocol in Amazon SES").
      Annotations.of(this).addWarningV2(
        'workforce-payments:sender-identity',
        'Mail of a verified address fails DMARC: if the domain of the sender has a policy, recipients reject it. Verify the domain: --context senderIdentity=your.domain',
      );
    }

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
    // A subdomain that neither sends nor receives mail (SES Developer Guide, "Using a custom MAIL
    // FROM domain"). Until its records are there, SES uses its own domain.
    const mailFromDomain = `bounces.${name}`;
    const identity = new EmailIdentity(this, 'Identity', {
      ...(isAddress(name)
        ? { identity: Identity.email(name) }
        : { identity: Identity.domain(name), mailFromDomain }),
      // Bounces arrive as events; a copy by mail would go to an address that is not read.
      feedbackForwarding: false,
    });
    if (removalPolicy === RemovalPolicy.RETAIN) {
      // A first deployment that fails takes it along, or the next one could not create it.
      identity.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    }
    if (isAddress(name)) return;
    const stack = Stack.of(this);
    const records = {
      ...Object.fromEntries(
        identity.dkimRecords.map((record, index) => [
          `DkimRecord${index + 1}`,
          `${record.name} CNAME ${record.value}`,
        ]),
      ),
      MailFromMxRecord: `${mailFromDomain} MX 10 feedback-smtp.${stack.region}.amazonses.com`,
      MailFromSpfRecord: `${mailFromDomain} TXT "v=spf1 include:amazonses.com ~all"`,
    };
    for (const [output, value] of Object.entries(records)) {
      const description = `Prove to SES and to recipients that ${name} is yours with this DNS record`;
      new CfnOutput(stack, output, { value, description });
    }
  }
}

const isAddress = (identity: string) => identity.includes('@');
