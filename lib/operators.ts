import { Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Those whom an alarm wakes: an address, or the subscribers of a topic that exists. */
export class Operators extends Construct {
  /** What an alarm does to tell them; nothing when the settings name nobody. */
  readonly actions: readonly IAlarmAction[];

  constructor(scope: Construct, id: string, { alarms }: Settings) {
    super(scope, id);
    const topic = alarms.email
      ? this.#topicFor(alarms.email)
      : alarms.topicArn && Topic.fromTopicArn(this, 'Topic', alarms.topicArn);
    this.actions = topic ? [new SnsAction(topic)] : [];
  }

  #topicFor(email: string): ITopic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(email));
    // A policy of its own replaces the one by which SNS lets the account's alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    return topic;
  }
}
