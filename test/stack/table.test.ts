import { expect, test } from 'vitest';
import { developmentTemplate, resourceOf } from '../support/read-template.ts';
import { templateOf } from '../support/synthesize-stage.ts';

const [made, { Properties: table }] = resourceOf(developmentTemplate(), 'AWS::DynamoDB::Table');

test('an imported one has its name, a logical id of its own, and outlives the stack', async () => {
  const template = await templateOf({ table: 'Restored-1' });
  const [imported, { Properties, ...policies }] = resourceOf(template, 'AWS::DynamoDB::Table');
  const [another] = resourceOf(await templateOf({ table: 'Restored.1' }), 'AWS::DynamoDB::Table');

  expect(new Set([made, imported, another]).size).toBe(3);
  expect(Properties).toEqual({ ...table, TableName: 'Restored-1' });
  expect(policies).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
});
