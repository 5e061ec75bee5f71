import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  functionsOf,
  type Resource,
  resourcesOf,
} from '../support/synthesized.ts';

const template = developmentTemplate();

const mappingOf = (functionName: string): Resource['Properties'] => {
  const [logicalId] = functionsOf(template).get(functionName) ?? [];
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => Properties.FunctionName.Ref === logicalId,
  );
  expect(mappings).toHaveLength(1);
  return mappings[0]?.[1].Properties ?? {};
};

const queueAt = (arn: { 'Fn::GetAtt': [string, 'Arn'] }): Resource => {
  const queues = new Map(resourcesOf(template, 'AWS::SQS::Queue'));
  return queues.get(arn['Fn::GetAtt'][0]) as Resource;
};

describe.each(['provision-sandbox', 'deliver-offer'])('the queue of %s', (functionName) => {
  test('lets a message that failed come again alone', () => {
    expect(mappingOf(functionName).FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
  });

  test('hides a message for six times as long as the function may run', () => {
    const [, lambda] = functionsOf(template).get(functionName) ?? [];
    const { VisibilityTimeout } = queueAt(mappingOf(functionName).EventSourceArn).Properties;
    expect(VisibilityTimeout).toBeGreaterThanOrEqual(6 * lambda?.Properties.Timeout);
  });

  test('gives a message up after five receives and keeps it for 14 days', () => {
    const { RedrivePolicy } = queueAt(mappingOf(functionName).EventSourceArn).Properties;
    expect(RedrivePolicy.maxReceiveCount).toBe(5);
    const deadLetters = queueAt(RedrivePolicy.deadLetterTargetArn);
    expect(deadLetters.Properties.MessageRetentionPeriod).toBe(14 * 24 * 60 * 60);
  });

  test('raises an alarm as soon as one is given up', () => {
    const { RedrivePolicy } = queueAt(mappingOf(functionName).EventSourceArn).Properties;
    const [deadLetters] = RedrivePolicy.deadLetterTargetArn['Fn::GetAtt'];
    const alarms = resourcesOf(template, 'AWS::CloudWatch::Alarm').map(
      ([, { Properties }]) => Properties,
    );
    expect(alarms).toContainEqual(
      expect.objectContaining({
        Namespace: 'AWS/SQS',
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [deadLetters, 'QueueName'] } }],
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        AlarmDescription: expect.stringContaining(functionName),
      }),
    );
  });
});

test('every queue is encrypted and takes no request that is not', () => {
  const queues = resourcesOf(template, 'AWS::SQS::Queue');
  const policies = resourcesOf(template, 'AWS::SQS::QueuePolicy');
  expect(queues).toHaveLength(4);
  for (const [logicalId, { Properties }] of queues) {
    expect(Properties.SqsManagedSseEnabled).toBe(true);
    const statements = policies
      .filter(([, policy]) => policy.Properties.Queues.some((q: Ref) => q.Ref === logicalId))
      .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement);
    expect(statements).toContainEqual(
      expect.objectContaining({
        Effect: 'Deny',
        Action: 'sqs:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      }),
    );
  }
});

interface Ref {
  readonly Ref: string;
}

describe("the table's stream", () => {
  test('is read from its beginning, and only what failed is read again', () => {
    expect(mappingOf('relay-outbox')).toMatchObject({
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
    });
  });

  test('shows new sandboxes and delivery attempts that wait, and nothing else', () => {
    const patterns = mappingOf('relay-outbox').FilterCriteria.Filters.map(
      ({ Pattern }: { Pattern: string }) => JSON.parse(Pattern),
    );
    const waiting = (type: string, status: string) => ({
      eventName: ['INSERT'],
      dynamodb: { NewImage: { type: { S: [type] }, status: { S: [status] } } },
    });
    expect(patterns).toEqual([waiting('SANDBOX', 'provisioning'), waiting('DELIVERY', 'queued')]);
  });

  test('waits for a queue for as long as the stream itself keeps a record', () => {
    // Without these, Lambda tries until the record expires (24 hours), which no outage should reach.
    expect(mappingOf('relay-outbox')).not.toHaveProperty('MaximumRetryAttempts');
    expect(mappingOf('relay-outbox')).not.toHaveProperty('MaximumRecordAgeInSeconds');
  });
});
