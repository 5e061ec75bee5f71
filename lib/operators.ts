import { Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** The recipients of alarms: an address, or the subscribers of an existing topic. */
export class Operators extends Construct {
  /** The actions of every alarm; none when the settings name no recipient. */
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
    // This policy replaces the topic's default policy, which lets the account's alarms publish.
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
