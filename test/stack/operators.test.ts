import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

/**
 * What each alarm does when it goes red and when it is over. A rollout's alarm notifies no
 * operator, and that of dead letters does not end while letters remain, so it reports no end.
 */
const actionsOf = (template: SynthesizedTemplate): Record<string, unknown> =>
  Object.fromEntries(
    resourcesOf(template, 'AWS::CloudWatch::Alarm')
      .filter(([, { Properties }]) => !Properties.AlarmDescription.endsWith('#failures'))
      .map(([name, { Properties }]) => [name, [Properties.AlarmActions, Properties.OKActions]]),
  );

const everyAlarm = (template: SynthesizedTemplate, actions: unknown) =>
  Object.fromEntries(
    Object.keys(actionsOf(template)).map((name) => [
      name,
      [actions, name.includes('DeadLetters') ? undefined : actions],
    ]),
  );

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
    expect(Object.keys(actionsOf(template))).toHaveLength(25);
    expect(actionsOf(template)).toEqual(everyAlarm(template, [{ Ref: topic }]));
  });

  test('has a topic that the alarms of this account may publish to, encrypted on the way', () => {
    const [, { Properties }] = resourceOf(template, 'AWS::SNS::TopicPolicy');
    expect(Properties.Topics).toEqual([{ Ref: topic }]);
    const [first, second] = [...Properties.PolicyDocument.Statement].sort((a, b) =>
      a.Effect.localeCompare(b.Effect),
    );
    expect(Properties.PolicyDocument.Statement).toHaveLength(2);
    expect(first).toMatchObject({
      Effect: 'Allow',
      Action: 'sns:Publish',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Resource: { Ref: topic },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    });
    expect(second).toMatchObject({
      Effect: 'Deny',
      Action: 'sns:Publish',
      Principal: '*',
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    });
  });
});

test('in development alarms go red and send no notification', () => {
  const template = developmentTemplate();
  expect(actionsOf(template)).toEqual(everyAlarm(template, undefined));
  expect(Object.values(template.Resources).filter(({ Type }) => /SNS/.test(Type))).toEqual([]);
});
