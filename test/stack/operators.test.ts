import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

/**
 * Expects these actions of each alarm when it goes red and when it is over. A rollout's alarm
 * notifies no operator, and that of dead letters does not end while letters remain, so it reports
 * no end.
 */
const expectActions = (template: SynthesizedTemplate, actions: unknown) => {
  const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').filter(
    ([, { Properties }]) => !Properties.AlarmDescription.endsWith('#failures'),
  );
  expect(alarms.length).toBeGreaterThan(20);
  for (const [name, { Properties }] of alarms) {
    expect(Properties.AlarmActions, name).toEqual(actions);
    expect(Properties.OKActions, name).toEqual(name.includes('DeadLetters') ? undefined : actions);
  }
};

describe('the alarm recipient, an address,', async () => {
  const template = await templateOf(production);
  const [topic] = resourceOf(template, 'AWS::SNS::Topic');

  test('gets a mail from each alarm, by a topic', () => {
    const [, { Properties }] = resourceOf(template, 'AWS::SNS::Subscription');
    expect(Properties).toMatchObject({
      Protocol: 'email',
      Endpoint: production.alarmEmail,
      TopicArn: { Ref: topic },
    });
    expectActions(template, [{ Ref: topic }]);
  });

  test('has a topic that the alarms of this account may publish to', () => {
    const [, { Properties }] = resourceOf(template, 'AWS::SNS::TopicPolicy');
    expect(Properties.Topics).toEqual([{ Ref: topic }]);
    // The other one is cdk-nag's AwsSolutions-SNS3.
    const { Statement } = Properties.PolicyDocument;
    expect(Statement).toHaveLength(2);
    expect(Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Resource: { Ref: topic },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  });
});

test('in development alarms go red and send no notification', () => {
  const template = developmentTemplate();
  expectActions(template, undefined);
  expect(Object.values(template.Resources).filter(({ Type }) => /SNS/.test(Type))).toEqual([]);
});
