import { describe, expect, test } from 'vitest';
import { templateOf } from '../support/synthesis.ts';
import { resourceOf, type SynthesizedTemplate } from '../support/synthesized.ts';
import { frozenStages, frozenTemplate } from './assemblies.ts';
import { resourceBreaks } from './kept-resources.ts';
import { releases } from './release.ts';

const production = frozenStages.find(({ stage }) => stage === 'prod');

describe.each(releases())('a stack of %s', (version) => {
  test.each(frozenStages)('keeps what holds data, as $stage', async (context) => {
    const before = frozenTemplate(version, context.stage);
    expect(resourceBreaks(before, await templateOf(context))).toEqual([]);
  });
});

type Change = (template: SynthesizedTemplate) => void;

const propertyOf =
  (type: string, name: string, value: unknown): Change =>
  (template) => {
    resourceOf(template, type)[1].Properties[name] = value;
  };

test.each<[string, string, Change]>([
  [
    'a table with another key',
    'AWS::DynamoDB::Table Table\\w+ has another KeySchema',
    propertyOf('AWS::DynamoDB::Table', 'KeySchema', [{ AttributeName: 'id', KeyType: 'HASH' }]),
  ],
  [
    'a table with another stream',
    'has another StreamSpecification',
    propertyOf('AWS::DynamoDB::Table', 'StreamSpecification', { StreamViewType: 'KEYS_ONLY' }),
  ],
  [
    'a table whose items end by another member',
    'has another TimeToLiveSpecification',
    propertyOf('AWS::DynamoDB::Table', 'TimeToLiveSpecification', { AttributeName: 'ends' }),
  ],
  [
    'an archive of a day',
    'has another RetentionDays',
    propertyOf('AWS::Events::Archive', 'RetentionDays', 1),
  ],
  [
    'another subscription to the alarms',
    'AWS::SNS::Subscription \\w+ has another Endpoint',
    propertyOf('AWS::SNS::Subscription', 'Endpoint', 'other@example.com'),
  ],
  [
    'a table with a name',
    'has another TableName',
    propertyOf('AWS::DynamoDB::Table', 'TableName', 'Payments'),
  ],
  [
    'a secret that is generated again',
    'AWS::SecretsManager::Secret CursorSecret\\w+ has another GenerateSecretString',
    propertyOf('AWS::SecretsManager::Secret', 'GenerateSecretString', { PasswordLength: 32 }),
  ],
  [
    'a bus with another name',
    'AWS::Events::EventBus EventsBus\\w+ has another Name',
    propertyOf('AWS::Events::EventBus', 'Name', 'Payments'),
  ],
  [
    'a stage of the API with another name',
    'AWS::ApiGateway::Stage \\w+ has another StageName',
    propertyOf('AWS::ApiGateway::Stage', 'StageName', 'v2'),
  ],
  [
    'an identity of another sender',
    'AWS::SES::EmailIdentity MailIdentity\\w+ has another EmailIdentity',
    propertyOf('AWS::SES::EmailIdentity', 'EmailIdentity', 'other@example.com'),
  ],
  [
    'an API with another logical id',
    'AWS::ApiGateway::RestApi Api\\w+ is gone',
    ({ Resources }) => {
      const [id, api] = resourceOf({ Resources } as SynthesizedTemplate, 'AWS::ApiGateway::RestApi');
      const all = Resources as Record<string, unknown>;
      delete all[id];
      all.Other = api;
    },
  ],
  [
    'a table that goes with its stack',
    'no longer has the DeletionPolicy Retain',
    (template) => {
      const [, table] = resourceOf(template, 'AWS::DynamoDB::Table');
      (table as { DeletionPolicy?: string }).DeletionPolicy = 'Delete';
    },
  ],
])('%s is noticed', async (_, sentence, change) => {
  const before = await templateOf({ ...production });
  const after = structuredClone(before);
  change(after);
  expect(resourceBreaks(before, after)).toEqual([expect.stringMatching(sentence)]);
});
