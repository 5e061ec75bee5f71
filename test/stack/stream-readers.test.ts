import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  mappingOf,
  mentioned,
  resourceOf,
  resourcesOf,
} from '../support/read-template.ts';

const template = developmentTemplate();
const [table, { Properties: tableProperties }] = resourceOf(template, 'AWS::DynamoDB::Table');

describe.each([
  ['relay-outbox', 'OutboxDeadLettersUrl'],
  ['publish-events', 'EventsDeadLettersUrl'],
])('%s', (functionName, output) => {
  const mapping = mappingOf(template, functionName);

  test('tries a record again until shortly before the stream drops it without a word', () => {
    // DynamoDB Streams keeps records for 24 hours (Amazon DynamoDB Developer Guide).
    const kept = 24 * 60 * 60;
    expect(mapping.MaximumRecordAgeInSeconds).toBeLessThan(kept);
    expect(mapping.MaximumRecordAgeInSeconds).toBeGreaterThan(kept / 2);
    // Without it, as often as that takes.
    expect(mapping).not.toHaveProperty('MaximumRetryAttempts');
  });

  test('reports discarded records in a queue of its own, which no function reads', () => {
    const [deadLetters = ''] = mentioned(mapping.DestinationConfig.OnFailure.Destination);
    expect(template.Resources[deadLetters]?.Type).toBe('AWS::SQS::Queue');
    expect(template.Outputs[output]?.Value).toEqual({ Ref: deadLetters });
    const read = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').flatMap(
      ([, { Properties }]) => mentioned(Properties.EventSourceArn),
    );
    expect(read).not.toContain(deadLetters);
  });
});

/** DynamoDB Streams serves two readers of a shard at once (Amazon DynamoDB Developer Guide). */
test('no third function reads the stream', () => {
  const readers = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').filter(
    ([, { Properties }]) => mentioned(Properties.EventSourceArn).includes(table),
  );
  expect(readers).toHaveLength(2);
});

/** Another view would be another stream: unread records of the old one would be lost. */
test('the stream shows new images', () => {
  expect(tableProperties.StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
});
