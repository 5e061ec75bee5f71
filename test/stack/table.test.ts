import { expect, test } from 'vitest';
import { developmentTemplate, resourcesOf } from '../support/synthesized.ts';

const tables = resourcesOf(developmentTemplate(), 'AWS::DynamoDB::Table');
const table = tables[0]?.[1].Properties ?? {};

test('there is one table', () => {
  expect(tables).toHaveLength(1);
});

test('it has a partition key and a sort key, both text', () => {
  expect(table).toMatchObject({
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    AttributeDefinitions: [
      { AttributeName: 'pk', AttributeType: 'S' },
      { AttributeName: 'sk', AttributeType: 'S' },
    ],
  });
});

test('it is paid for by request, can be restored to any second, and forgets what expires', () => {
  expect(table).toMatchObject({
    BillingMode: 'PAY_PER_REQUEST',
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'expires', Enabled: true },
  });
});

test('its stream shows new images', () => {
  expect(table.StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
});
