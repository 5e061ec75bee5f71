import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  mappingOf,
  mentioned,
  resourceOf,
  resourcesOf,
} from '../support/read-template.ts';

const template = developmentTemplate();
const [table] = resourceOf(template, 'AWS::DynamoDB::Table');

describe.each(['relay-outbox', 'publish-events'])('%s', (functionName) => {
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
