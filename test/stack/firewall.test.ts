import { expect, test } from 'vitest';
import {
  asText,
  developmentTemplate,
  mentioned,
  resourceOf,
  resourcesOf,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

const template = await templateOf(production);
const [id, acl] = resourceOf(template, 'AWS::WAFv2::WebACL');

test('stands before the API of a stage that keeps its data', () => {
  const [, { Properties }] = resourceOf(template, 'AWS::WAFv2::WebACLAssociation');
  expect(mentioned(Properties.WebACLArn)).toEqual([id]);
  expect(resourcesOf(developmentTemplate(), 'AWS::WAFv2::WebACL')).toEqual([]);
});

test('limits the requests of each address and of each token', () => {
  const limits = acl.Properties.Rules.flatMap(
    ({ Statement }: { Statement: Record<string, Record<string, unknown>> }) =>
      Statement.RateBasedStatement ?? [],
  );
  expect(limits).toMatchObject([
    { AggregateKeyType: 'IP', Limit: 60_000 },
    { AggregateKeyType: 'CUSTOM_KEYS', Limit: 30_000 },
  ]);
});

test('logs what it blocks, without tokens and bodies, and samples likewise', () => {
  const [, { Properties: logging }] = resourceOf(template, 'AWS::WAFv2::LoggingConfiguration');
  const [group = ''] = logging.LogDestinationConfigs.flatMap(mentioned).filter(
    (each: string) => !each.startsWith('AWS::'),
  );
  expect(asText(template.Resources[group]?.Properties.LogGroupName)).toMatch(/aws-waf-logs-/);
  expect(logging.RedactedFields).toEqual([{ SingleHeader: { Name: 'authorization' } }]);
  expect(acl.Properties.DataProtectionConfig.DataProtections).toEqual([
    {
      Action: 'SUBSTITUTION',
      Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization'] },
    },
    { Action: 'SUBSTITUTION', Field: { FieldType: 'BODY' } },
  ]);
});
