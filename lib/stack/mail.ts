import { Annotations, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
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
import { type Alarms, period } from './alarms.ts';
import { recorded } from './metrics.ts';
import type { QueueConsumer } from './queue-consumer.ts';
import type { Settings } from './settings.ts';

export interface MailProps {
  readonly settings: Settings;
  readonly alarms: Alarms;
  /** Sends the mails. */
  readonly delivery: QueueConsumer;
  /** Receives SES's events about each mail. */
  readonly events: QueueConsumer;
}

/**
 * SES's configuration for the stage's mail, the route of its events, and the alarms of its sending.
 */
export class Mail extends Construct {
  readonly configurationSet: ConfigurationSet;
  /** The resources that a function needs permission for to send mail. */
  readonly arns: readonly string[];

  constructor(scope: Construct, id: string, props: MailProps) {
    super(scope, id);
    const { settings, events } = props;
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
    if (settings.keepData && isAddress(settings.senderIdentity)) {
      // SES then signs with its own domain and sends from it, and neither is that of the sender
      // (SES Developer Guide, "Complying with DMARC authentication protocol in Amazon SES").
      Annotations.of(this).addWarningV2(
        'workforce-payments:sender-identity',
        'Mail of a verified address fails DMARC: if the domain of the sender has a policy, recipients reject it. Verify the domain: `senderIdentity` in bin/stages.ts',
      );
    }

    // SES publishes only to the default bus, where the events of all stages arrive, as best effort
    // (Amazon EventBridge Events Reference, "Amazon Simple Email Service events").
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
    addAlarms(props);
  }

  /** SES sends a verification link to an address; a domain needs these records in its DNS. */
  #verify({ senderIdentity: name }: Settings): void {
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
    // Other stages of the account may send from it. A deployment that fails takes it along, or the
    // next one could not create it.
    identity.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
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

const addAlarms = ({ alarms, settings, delivery }: MailProps): void => {
  const sending = delivery.function.file;
  // The age of the oldest message does not show them: SQS leaves a message that was received three
  // times out of it (Amazon SQS Developer Guide, "Available CloudWatch metrics for Amazon SQS").
  alarms.add('HeldMails', {
    means:
      'SES takes no mail because an address is not verified, or because of the account, its daily quota or, for a quarter of an hour, its sending rate: mails wait.',
    metric: recorded(settings, sending, 'MailHeld', { period }),
    threshold: 0,
    // A held mail is counted once an hour, and the mails wait in between too. Of periods of five
    // minutes, an alarm evaluates a day at most (CloudWatch API Reference, PutMetricAlarm).
    periods: 14,
    datapointsToAlarm: 1,
  });
  alarms.add('FailedMails', {
    means: 'SES will never take a mail: its attempt is failed, and its recipient gets none.',
    metric: recorded(settings, sending, 'MailFailed', { period }),
    threshold: 0,
  });
  alarms.add('BounceRate', {
    means:
      'More than 4 % of the mail that this account sends from this region bounces: SES reviews an account at 5 % and may pause it at 10 %.',
    ...reputation('BounceRate'),
    threshold: 0.04,
  });
  alarms.add('ComplaintRate', {
    means:
      'Recipients report more than 0.08 % of the mail of this account and region as spam: SES reviews an account at 0.1 %.',
    ...reputation('ComplaintRate'),
    threshold: 0.0008,
  });
};

/** SES publishes these a few times a day per account: missing data keeps the alarm's state. */
const reputation = (name: string) => ({
  metric: new Metric({
    namespace: 'AWS/SES',
    metricName: `Reputation.${name}`,
    statistic: Stats.AVERAGE,
    period: Duration.hours(1),
  }),
  treatMissingData: TreatMissingData.IGNORE,
});

const isAddress = (identity: string) => identity.includes('@');
