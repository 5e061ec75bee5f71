import { describe, expect, test } from 'vitest';
import {
  asText,
  developmentTemplate,
  resourceOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { everything, production, templateOf } from '../support/synthesize-stage.ts';

const firewallsOf = (template: SynthesizedTemplate) =>
  Object.values(template.Resources).filter(({ Type }) => Type.startsWith('AWS::WAFv2'));

describe('the firewall', async () => {
  const template = await templateOf(everything);
  const [acl, { Properties }] = resourceOf(template, 'AWS::WAFv2::WebACL');
  const [common, perToken] = Properties.Rules;

  test('stands before the stage and lets through what no rule blocks', () => {
    const [, { Properties: association }] = resourceOf(template, 'AWS::WAFv2::WebACLAssociation');
    const [api] = resourceOf(template, 'AWS::ApiGateway::RestApi');
    const [stage] = resourceOf(template, 'AWS::ApiGateway::Stage');
    expect(association.WebACLArn).toEqual({ 'Fn::GetAtt': [acl, 'Arn'] });
    expect(asText(association.ResourceArn)).toBe(
      `arn:\${AWS::Partition}:apigateway:\${AWS::Region}::/restapis/\${${api}}/stages/\${${stage}}`,
    );
    expect(Properties).toMatchObject({ Scope: 'REGIONAL', DefaultAction: { Allow: {} } });
    expect(Properties.Rules).toHaveLength(2);
    expect(common.Priority).not.toBe(perToken.Priority);
  });

  test("has AWS's common rules, of which those that honest callers would meet only count", () => {
    const { ManagedRuleGroupStatement } = common.Statement;
    expect(ManagedRuleGroupStatement).toMatchObject({
      VendorName: 'AWS',
      Name: 'AWSManagedRulesCommonRuleSet',
    });
    expect(common.OverrideAction).toEqual({ None: {} });
    // A rule that the group does not have would be refused when it is deployed; these are named as
    // in the AWS WAF Developer Guide, "Baseline rule groups".
    expect(ManagedRuleGroupStatement.RuleActionOverrides).toEqual(
      [
        'CrossSiteScripting_BODY',
        'EC2MetaDataSSRF_BODY',
        'GenericLFI_BODY',
        'GenericRFI_BODY',
        'NoUserAgent_HEADER',
        'SizeRestrictions_BODY',
      ].map((Name) => ({ Name, ActionToUse: { Count: {} } })),
    );
  });

  test('counts the requests of each token, however its header is spelt', () => {
    const { RateBasedStatement } = perToken.Statement;
    expect(RateBasedStatement).toMatchObject({
      Limit: Number(everything.requestsPerToken),
      EvaluationWindowSec: 300,
      AggregateKeyType: 'CUSTOM_KEYS',
    });
    const [{ Header }, ...others] = RateBasedStatement.CustomKeys;
    expect(others).toEqual([]);
    expect(Header.Name.toLowerCase()).toBe('authorization');
    expect(Header.TextTransformations.map(({ Type }: { Type: string }) => Type)).toEqual([
      'COMPRESS_WHITE_SPACE',
      'LOWERCASE',
    ]);
  });

  test('answers a token that sends too many requests with 429 and Retry-After, in the shape of a problem', () => {
    const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } =
      perToken.Action.Block.CustomResponse;
    expect(ResponseCode).toBe(429);
    expect(ResponseHeaders).toEqual([
      { Name: 'Retry-After', Value: '60' },
      { Name: 'Cache-Control', Value: 'no-store' },
      { Name: 'Strict-Transport-Security', Value: 'max-age=63072000' },
      { Name: 'X-Content-Type-Options', Value: 'nosniff' },
    ]);
    const { ContentType, Content } = Properties.CustomResponseBodies[CustomResponseBodyKey];
    // The nearest that AWS WAF has to application/problem+json, and the header cannot be set.
    expect(ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(Content)).toEqual({
      type: 'https://docs.company.example/problems/rate_limited.html',
      title: 'Too many requests',
      status: 429,
      detail: expect.stringMatching(/\.$/),
      code: 'rate_limited',
    });
  });

  test('counts what it does', () => {
    for (const { VisibilityConfig } of [Properties, common, perToken]) {
      expect(VisibilityConfig.CloudWatchMetricsEnabled).toBe(true);
    }
  });
});

test('there is none unless it is asked for', async () => {
  expect(firewallsOf(developmentTemplate())).toEqual([]);
  expect(firewallsOf(await templateOf(production))).toEqual([]);
});
