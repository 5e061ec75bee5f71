import { expect, test } from 'vitest';
import {
  developmentTemplate,
  mappingOf,
  mentioned,
  resourceOf,
  resourcesOf,
} from '../support/synthesized.ts';

const template = developmentTemplate();
const mapping = mappingOf(template, 'relay-outbox');

test("the table's stream is read from its beginning, and only what failed is read again", () => {
  const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
  expect(mapping).toMatchObject({
    EventSourceArn: { 'Fn::GetAtt': [table, 'StreamArn'] },
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    BisectBatchOnFunctionError: true,
  });
});

test('only new sandboxes and delivery attempts that wait are read', () => {
  const patterns = mapping.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
    JSON.parse(Pattern),
  );
  const waiting = (type: string, status: string) => ({
    eventName: ['INSERT'],
    dynamodb: { NewImage: { type: { S: [type] }, status: { S: [status] } } },
  });
  expect(patterns).toEqual([waiting('SANDBOX', 'provisioning'), waiting('DELIVERY', 'queued')]);
});

test('a record is tried again until shortly before the stream drops it without a word', () => {
  // DynamoDB Streams keeps records for 24 hours (Amazon DynamoDB Developer Guide).
  const kept = 24 * 60 * 60;
  expect(mapping.MaximumRecordAgeInSeconds).toBeLessThan(kept);
  expect(mapping.MaximumRecordAgeInSeconds).toBeGreaterThan(kept / 2);
  // Without it, as often as that takes.
  expect(mapping).not.toHaveProperty('MaximumRetryAttempts');
});

test('what is given up is told of in a queue of its own, which no function reads', () => {
  const [deadLetters = ''] = mentioned(mapping.DestinationConfig.OnFailure.Destination);
  const queue = template.Resources[deadLetters];
  expect(queue?.Type).toBe('AWS::SQS::Queue');
  expect(queue?.Properties.MessageRetentionPeriod).toBe(14 * 24 * 60 * 60);
  expect(template.Outputs.OutboxDeadLettersUrl?.Value).toEqual({ Ref: deadLetters });
  const read = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').flatMap(
    ([, { Properties }]) => mentioned(Properties.EventSourceArn),
  );
  expect(read).not.toContain(deadLetters);
});
