import { describe, expect, test } from 'vitest';
import { outbox } from '../../functions/domain/outbox.ts';
import {
  developmentTemplate,
  functionsOf,
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

  test("reads the table's stream from its beginning, and again only what failed", () => {
    expect(mapping).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [table, 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
    });
  });

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

const patternsOf = (functionName: string) =>
  mappingOf(template, functionName).FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
    JSON.parse(Pattern),
  );

const change = (eventName: string, types: string | string[], ...statuses: string[]) => ({
  eventName: [eventName],
  dynamodb: {
    NewImage: {
      type: { S: [types].flat() },
      ...(statuses.length > 0 && { status: { S: statuses } }),
    },
  },
});

test('messages are sent for new items that wait for one', () => {
  expect(patternsOf('relay-outbox')).toEqual(
    Object.values(outbox).map(({ type, status }) => change('INSERT', type, status)),
  );
});

test('events are published for approvals, redactions, new sandboxes and delivery attempts, and for what becomes of them', () => {
  expect(patternsOf('publish-events')).toEqual([
    change('INSERT', ['APPROVAL', 'REDACTION']),
    change('INSERT', 'SANDBOX', 'provisioning'),
    change('INSERT', 'DELIVERY', 'queued'),
    change('MODIFY', 'SANDBOX', 'ready'),
    change(
      ...(['MODIFY', 'DELIVERY'] as const),
      ...['sent', 'simulated', 'failed', 'delivered', 'bounced', 'complained'],
    ),
  ]);
});

describe('the bus', () => {
  const [bus, { Properties }] = resourceOf(template, 'AWS::Events::EventBus');

  test('is named for its stage, gets the events, and its ARN is an output', () => {
    expect(Properties.Name).toBe('WorkforcePayments-dev');
    const [, lambda] = functionsOf(template).get('publish-events') ?? [];
    expect(lambda?.Properties.Environment.Variables.EVENT_BUS).toEqual({ Ref: bus });
    expect(template.Outputs.EventBusArn?.Value).toEqual({ 'Fn::GetAtt': [bus, 'Arn'] });
  });

  test('has an archive of everything on it, which forgets after 30 days', () => {
    const [archive, { Properties: archived }] = resourceOf(template, 'AWS::Events::Archive');
    expect(archived).toMatchObject({
      SourceArn: { 'Fn::GetAtt': [bus, 'Arn'] },
      EventPattern: { account: [{ Ref: 'AWS::AccountId' }] },
      RetentionDays: 30,
    });
    expect(template.Outputs.EventArchiveArn?.Value).toEqual({ 'Fn::GetAtt': [archive, 'Arn'] });
  });
});
