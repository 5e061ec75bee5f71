import { describe, expect, test } from 'vitest';
import { resourceOf, type SynthesizedTemplate } from '../support/read-template.ts';
import { templateOf } from '../support/synthesize-stage.ts';
import { frozenStages, frozenTemplate } from './assemblies.ts';
import { releases } from './kept-releases.ts';
import { resourceBreaks } from './kept-resources.ts';

const production = frozenStages.find(({ stage }) => stage === 'prod');

describe.each(releases())('a stack of %s', (version) => {
  test.each(frozenStages)('keeps what holds data, as $stage', async (context) => {
    const before = frozenTemplate(version, context.stage);
    expect(resourceBreaks(before, await templateOf(context))).toEqual([]);
  });
});

test.each([
  ['AWS::DynamoDB::Table', 'Table', 'KeySchema'],
  ['AWS::DynamoDB::Table', 'Table', 'StreamSpecification'],
  ['AWS::DynamoDB::Table', 'Table', 'TimeToLiveSpecification'],
  ['AWS::DynamoDB::Table', 'Table', 'TableName'],
  ['AWS::Events::Archive', '', 'RetentionDays'],
  ['AWS::SNS::Subscription', '', 'Endpoint'],
  ['AWS::SecretsManager::Secret', 'CursorSecret', 'GenerateSecretString'],
  ['AWS::Events::EventBus', 'EventsBus', 'Name'],
  ['AWS::ApiGateway::Stage', '', 'StageName'],
  ['AWS::SES::EmailIdentity', 'MailIdentity', 'EmailIdentity'],
])('%s %s… with another %s is noticed', async (type, id, property) => {
  const breaks = await breaksAfter((template) => {
    resourceOf(template, type)[1].Properties[property] = 'another';
  });
  expect(breaks).toEqual([expect.stringMatching(`^${type} ${id}\\w+ has another ${property}\\.$`)]);
});

test('an API with another logical id is noticed', async () => {
  const breaks = await breaksAfter((template) => {
    const [id, api] = resourceOf(template, 'AWS::ApiGateway::RestApi');
    const all = template.Resources as Record<string, unknown>;
    delete all[id];
    all.Other = api;
  });
  expect(breaks).toEqual([expect.stringMatching('AWS::ApiGateway::RestApi Api\\w+ is gone')]);
});

test('a table that goes with its stack is noticed', async () => {
  const breaks = await breaksAfter((template) => {
    const [, table] = resourceOf(template, 'AWS::DynamoDB::Table');
    (table as { DeletionPolicy?: string }).DeletionPolicy = 'Delete';
  });
  expect(breaks).toEqual([expect.stringMatching('no longer has the DeletionPolicy Retain')]);
});

/** What a change of the production template would take from its stack. */
const breaksAfter = async (
  change: (template: SynthesizedTemplate) => void,
): Promise<readonly string[]> => {
  const before = await templateOf({ ...production });
  const after = structuredClone(before);
  change(after);
  return resourceBreaks(before, after);
};
