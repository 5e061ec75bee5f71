import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDenied, list, type Statement } from '../../../test/support/evaluate-policy.ts';
import {
  asText,
  type Resource,
  resourceOf,
  resourcesOf,
} from '../../../test/support/read-template.ts';
import { production, templateOf } from '../../../test/support/synthesize-stage.ts';
import { payer, webhook } from './synthesize-consumers.ts';

const { template, stack } = payer;
const idOf = (type: string, part: string) =>
  resourcesOf(template, type).find(([id]) => id.startsWith(part))?.[0] ?? '';
const propertiesOf = (type: string) => resourceOf(template, type)[1].Properties;
const arnOf = (id: string) => `\${${id}.Arn}`;

const approvals = idOf('AWS::SQS::Queue', 'Approvals');
const deadLetters = idOf('AWS::SQS::Queue', 'DeadLetters');
const role = idOf('AWS::IAM::Role', 'PayerServiceRole');
const [table, { DeletionPolicy, Properties: ofTable }] = resourceOf(
  template,
  'AWS::DynamoDB::Table',
);
const ofFunction = propertiesOf('AWS::Lambda::Function');

test('keeps an approval for 16 hours while the provider is down, and a letter for 14 days', () => {
  const { VisibilityTimeout, RedrivePolicy, MessageRetentionPeriod } =
    template.Resources[approvals]?.Properties ?? {};
  expect(asText(RedrivePolicy.deadLetterTargetArn)).toBe(arnOf(deadLetters));
  expect([VisibilityTimeout, RedrivePolicy.maxReceiveCount]).toEqual([300, 200]);
  // As the AWS Lambda Developer Guide advises for SQS.
  expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * ofFunction.Timeout);
  expect(MessageRetentionPeriod).toBe(14 * 86_400);
  expect(template.Resources[deadLetters]?.Properties).toEqual({
    MessageRetentionPeriod: 14 * 86_400,
  });
});

test('a function with time and memory reads it, ten at once, each message for itself', () => {
  // Ten seconds of them are for what follows a payment.
  expect([ofFunction.Timeout, ofFunction.MemorySize]).toEqual([30, 512]);
  const { EventSourceArn, FunctionName, ...others } = propertiesOf(
    'AWS::Lambda::EventSourceMapping',
  );
  expect(asText(EventSourceArn)).toBe(arnOf(approvals));
  expect(others).toEqual({
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    ScalingConfig: { MaximumConcurrency: 10 },
  });
});

test('pays by the events of its live workspaces, which one list names, and keeps what does not arrive', () => {
  const { EventBusName, EventPattern, Targets } = propertiesOf('AWS::Events::Rule');
  expect(EventBusName).toBe('WorkforcePayments-prod');
  expect(EventPattern).toEqual({
    source: ['workforce-payments'],
    'detail-type': ['payment_request.approved', 'payment_request.ended'],
    detail: { livemode: [true], workspace: ['wsp_1', 'wsp_2'] },
  });
  const { DEAD_LETTERS_URL, PAID_REQUESTS, WORKSPACES } = ofFunction.Environment.Variables;
  expect(WORKSPACES.split(',')).toEqual(EventPattern.detail.workspace);
  expect([DEAD_LETTERS_URL, PAID_REQUESTS].map(asText)).toEqual([
    `\${${deadLetters}}`,
    `\${${table}}`,
  ]);
  expect(Targets).toHaveLength(1);
  expect(asText(Targets[0].Arn)).toBe(arnOf(approvals));
  expect(asText(Targets[0].DeadLetterConfig.Arn)).toBe(arnOf(deadLetters));
});

test('nobody loses what has been paid: neither a deletion, nor the function, nor time', () => {
  expect(stack.terminationProtection).toBe(true);
  expect(DeletionPolicy).toBe('Retain');
  expect(ofTable).toEqual({
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
    BillingMode: 'PAY_PER_REQUEST',
    DeletionProtectionEnabled: true,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    // In which Powertools writes when a record ends.
    TimeToLiveSpecification: { AttributeName: 'expiration', Enabled: true },
  });
});

test('the function may read its queue, write letters and records, and nothing else', () => {
  const allowed = resourcesOf(template, 'AWS::IAM::Policy').flatMap(([, { Properties }]) => {
    expect(Properties.Roles).toEqual([{ Ref: role }]);
    return Properties.PolicyDocument.Statement.flatMap(
      ({ Effect, Action, Resource: resource }: Statement) =>
        list(Action).map((action) => `${Effect} ${action} on ${list(resource).map(asText)}`),
    );
  });
  expect(allowed.sort()).toEqual(
    [
      ...['ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes', 'GetQueueUrl'].map(
        (action) => `Allow sqs:${action} on ${arnOf(approvals)}`,
      ),
      `Allow sqs:ReceiveMessage on ${arnOf(approvals)}`,
      ...['GetQueueAttributes', 'GetQueueUrl', 'SendMessage'].map(
        (action) => `Allow sqs:${action} on ${arnOf(deadLetters)}`,
      ),
      ...['GetItem', 'PutItem', 'UpdateItem'].map(
        (action) => `Allow dynamodb:${action} on ${arnOf(table)}`,
      ),
    ].sort(),
  );
});

test.each([
  ['approvals', approvals],
  ['letters', deadLetters],
])('the queue of %s takes messages of EventBridge, the payer and who redrives', (_, queue) => {
  const statements: Statement[] = resourcesOf(template, 'AWS::SQS::QueuePolicy')
    .filter(([, { Properties }]) => asText(Properties.Queues[0]) === `\${${queue}}`)
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
  const may = (action: string, arn: string, isService = 'false', isSecure = 'true') =>
    !isDenied(statements, action, arnOf(queue), {
      'aws:PrincipalArn': arn,
      'aws:PrincipalIsAWSService': isService,
      'aws:SecureTransport': isSecure,
    });
  const send = 'sqs:SendMessage';
  const redriver = 'arn:aws:iam::123456789012:role/payments-redrive';
  const other = 'arn:aws:iam::123456789012:role/other';
  for (const arn of [arnOf(role), redriver]) expect(may(send, arn), arn).toBe(true);
  for (const arn of [other, `${redriver}r`, `${other}/payments-redrive`]) {
    expect([may(send, arn), may(send, arn, 'true')]).toEqual([false, true]);
  }
  for (const action of ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'PurgeQueue']) {
    expect([may(`sqs:${action}`, other), may(`sqs:${action}`, other, 'false', 'false')]).toEqual([
      true,
      false,
    ]);
  }
  const [allowed] = statements.filter(({ Effect }) => Effect === 'Allow');
  expect(allowed?.Principal).toEqual({ Service: 'events.amazonaws.com' });
  expect(list(allowed?.Condition?.ArnEquals?.['aws:SourceArn']).map(asText)).toEqual([
    arnOf(idOf('AWS::Events::Rule', 'Rule')),
  ]);
});

test('no other queue makes that of approvals its dead-letter queue', () => {
  expect(template.Resources[approvals]?.Properties.RedriveAllowPolicy).toEqual({
    redrivePermission: 'denyAll',
  });
});

const sections = [
  ...readFileSync(join(import.meta.dirname, '../../EVENTS.md'), 'utf8').matchAll(/^## (.*)$/gm),
].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));

const alarmOf = ({ Resources }: typeof template, part: string) => {
  const [, found] = Object.entries(Resources).find(
    ([id, { Type }]) => Type === 'AWS::CloudWatch::Alarm' && id.includes(part),
  ) ?? ['', { Properties: {} } as Resource];
  return found.Properties;
};

test("the alarms for new letters are the service's own, each on its queue", async () => {
  const service = alarmOf(await templateOf(production), 'ProvisioningDeadLetters');
  const withoutNames = ({ AlarmActions, AlarmDescription, ...alarm }: Resource['Properties']) =>
    JSON.parse(
      JSON.stringify(alarm).replaceAll(/\{"Fn::GetAtt":\["\w+","QueueName"\]\}/g, '"queue"'),
    );
  for (const [of, name] of [
    [template, 'Unpaid'],
    [webhook.template, 'Undelivered'],
  ] as const) {
    const alarm = alarmOf(of, name);
    expect(withoutNames(alarm)).toEqual(withoutNames(service));
    const [letters] =
      resourcesOf(of, 'AWS::SQS::Queue').find(([id]) => id.startsWith('DeadLetters')) ?? [];
    expect(
      JSON.stringify(alarm.Metrics).split(`"Fn::GetAtt":["${letters}","QueueName"]`),
    ).toHaveLength(3);
  }
});

test('a payment that is late rings, and every alarm reaches somebody who reads what to do', () => {
  const { AlarmActions, AlarmDescription, Dimensions, ...late } = alarmOf(template, 'Late');
  expect(asText(Dimensions[0].Value)).toBe(`\${${approvals}.QueueName}`);
  expect(late).toEqual({
    Namespace: 'AWS/SQS',
    MetricName: 'ApproximateAgeOfOldestMessage',
    Statistic: 'Maximum',
    Period: 300,
    EvaluationPeriods: 1,
    Threshold: 480,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  });
  for (const of of [template, webhook.template]) {
    const [topic] = resourceOf(of, 'AWS::SNS::Topic');
    const [, { Properties }] = resourceOf(of, 'AWS::SNS::Subscription');
    expect(Properties).toMatchObject({ Protocol: 'email', TopicArn: { Ref: topic } });
    for (const [, { Properties }] of resourcesOf(of, 'AWS::CloudWatch::Alarm')) {
      expect(Properties.AlarmActions).toEqual([{ Ref: topic }]);
      const [, section] = /lib\/EVENTS\.md#(\S+)$/.exec(Properties.AlarmDescription) ?? [];
      expect(sections).toContain(section);
    }
  }
});

test('an event that neither queue takes rings', () => {
  const { AlarmActions, AlarmDescription, Dimensions, ...undelivered } = alarmOf(
    template,
    'Undelivered',
  );
  const [rule] = resourceOf(template, 'AWS::Events::Rule');
  expect(Dimensions).toEqual([
    { Name: 'EventBusName', Value: 'WorkforcePayments-prod' },
    {
      Name: 'RuleName',
      Value: { 'Fn::Select': [2, { 'Fn::Split': ['/', { 'Fn::GetAtt': [rule, 'Arn'] }] }] },
    },
  ]);
  expect(undelivered).toMatchObject({
    Namespace: 'AWS/Events',
    MetricName: 'InvocationsFailedToBeSentToDlq',
    Statistic: 'Sum',
    Threshold: 0,
    ComparisonOperator: 'GreaterThanThreshold',
    TreatMissingData: 'notBreaching',
  });
});

test('the webhook sends the events of one live workspace, and keeps what its endpoint does not take', () => {
  const { EventPattern, Targets } = resourceOf(webhook.template, 'AWS::Events::Rule')[1].Properties;
  expect(EventPattern).toEqual({
    source: ['workforce-payments'],
    detail: { workspace: ['wsp_1'], livemode: [true] },
  });
  const [letters, { Properties }] = resourceOf(webhook.template, 'AWS::SQS::Queue');
  expect(Properties).toEqual({ MessageRetentionPeriod: 14 * 86_400 });
  expect(Targets).toMatchObject([
    {
      InputPath: '$.detail',
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
    },
  ]);
  expect(asText(Targets[0].DeadLetterConfig.Arn)).toBe(arnOf(letters));
});
