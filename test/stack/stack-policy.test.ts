import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { SynthesizedTemplate } from '../support/read-template.ts';
import { everything, templateOf } from '../support/synthesize-stage.ts';

// A stack policy denies what it does not allow, and Deny wins (AWS CloudFormation User Guide,
// "Prevent updates to stack resources"). Emulators let the last statement win.
const [allow, deny] = JSON.parse(readFileSync('lib/stack/stack-policy.json', 'utf8')).Statement;
const kept: string[] = deny.Condition.StringEquals.ResourceType;

const { domainName, certificateArn, ...others } = everything;
const table = 'Restored-1';
const full = await templateOf({ ...everything, table });

const typesOf = ({ Resources }: SynthesizedTemplate, without: object = {}) => [
  ...new Set(
    Object.entries(Resources)
      .filter(([id]) => !(id in without))
      .map(([, { Type }]) => Type),
  ),
];

test('allows every update, but for the replacement and deletion of what a stage keeps', () => {
  const everywhere = { Principal: '*', Resource: '*' };
  expect(allow).toEqual({ Effect: 'Allow', Action: 'Update:*', ...everywhere });
  expect(deny).toMatchObject({ Effect: 'Deny', ...everywhere });
  expect(deny.Action).toEqual(['Update:Replace', 'Update:Delete']);
  expect(typesOf(full)).toEqual(expect.arrayContaining(kept));
});

test.each([
  ['table', everything, 'AWS::DynamoDB::Table'],
  ['domain', { ...others, table }, 'AWS::ApiGateway::DomainName'],
])('keeps what a deployment that has lost its %s would take away', async (_, stage, type) => {
  const { Resources } = await templateOf(stage);
  const gone = typesOf(full, Resources);
  expect(gone).toContain(type);
  // Of these the new ones take the place of the old.
  const renewed = [
    'AWS::ApiGateway::BasePathMapping',
    'AWS::ApiGateway::Deployment',
    'AWS::Lambda::Version',
  ];
  expect([...kept, ...renewed]).toEqual(expect.arrayContaining(gone));
});
