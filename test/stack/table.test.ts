import { expect, test } from 'vitest';
import { importedTableOutput } from '../../lib/stack.ts';
import { templateOf } from '../support/synthesis.ts';
import { developmentTemplate, resourceOf, resourcesOf } from '../support/synthesized.ts';

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

test('an imported one has its name, a logical id of its own, and outlives the stack', async () => {
  const [made] = resourceOf(developmentTemplate(), 'AWS::DynamoDB::Table');
  const template = await templateOf({ devTable: 'Restored-1' });
  const [imported, { Properties, ...policies }] = resourceOf(template, 'AWS::DynamoDB::Table');
  const [another] = resourceOf(
    await templateOf({ devTable: 'Restored.1' }),
    'AWS::DynamoDB::Table',
  );

  expect(new Set([made, imported, another]).size).toBe(3);
  expect(Properties).toEqual({ ...table, TableName: 'Restored-1' });
  expect(policies).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  expect(template.Outputs).toHaveProperty(importedTableOutput, { Value: 'Restored-1' });
});
