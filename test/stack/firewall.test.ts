import { expect, test } from 'vitest';
import { asText, mentioned, resourceOf } from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

const template = await templateOf(production);
const [, acl] = resourceOf(template, 'AWS::WAFv2::WebACL');

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
