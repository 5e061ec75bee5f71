import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { answerHeaders } from '../functions/domain/answer-headers.ts';
import { problemDetails } from '../functions/domain/problem.ts';

/**
 * Rules of AWS's common group that are counted and not enforced. A reason or a name is free text
 * that is never executed, and may mention a path, a script or an address; the functions check the
 * length of a body themselves and answer with a problem; API clients need no User-Agent.
 */
const countedOnly = [
  'CrossSiteScripting_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'NoUserAgent_HEADER',
  'SizeRestrictions_BODY',
];

/** What the firewall protects, and its limits. */
export interface FirewallProps {
  /** The stage of the API that it protects. */
  readonly stageArn: string;
  /** Requests that a token may make in five minutes. */
  readonly requestsPerToken: number;
  /** Where the reference is published. */
  readonly referenceUrl?: string | undefined;
}

/** AWS WAF in front of the API: AWS's common rules, and a rate limit for each token. */
export class Firewall extends Construct {
  constructor(
    scope: Construct,
    id: string,
    { stageArn, requestsPerToken, referenceUrl }: FirewallProps,
  ) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible('Firewall'),
      customResponseBodies: { tooMany: tooManyRequests(referenceUrl) },
      rules: [commonRules, requestsPerTokenRule(requestsPerToken)],
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: stageArn,
      webAclArn: acl.attrArn,
    });
  }
}

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: true,
});

/** AWS WAF has no variables, so this problem has no request_id. */
const tooManyRequests = (referenceUrl?: string): CfnWebACL.CustomResponseBodyProperty => ({
  contentType: 'APPLICATION_JSON',
  content: JSON.stringify({
    ...problemDetails(
      'rate_limited',
      'This token sends too many requests. Wait, then try again.',
      '',
      [],
      referenceUrl,
    ),
    request_id: undefined,
  }),
});

const commonRules: CfnWebACL.RuleProperty = {
  name: 'Common',
  priority: 0,
  overrideAction: { none: {} },
  visibilityConfig: visible('Common'),
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name: 'AWSManagedRulesCommonRuleSet',
      ruleActionOverrides: countedOnly.map((name) => ({ name, actionToUse: { count: {} } })),
    },
  },
};

const requestsPerTokenRule = (limit: number): CfnWebACL.RuleProperty => ({
  name: 'RequestsPerToken',
  priority: 1,
  visibilityConfig: visible('RequestsPerToken'),
  action: {
    block: {
      // Takes precedence over API Gateway's WAF_FILTERED ("Gateway response types").
      customResponse: {
        responseCode: 429,
        customResponseBodyKey: 'tooMany',
        responseHeaders: [
          // The window of the rule is five minutes: a second would not help.
          { name: 'Retry-After', value: '60' },
          ...Object.entries(answerHeaders).map(([name, value]) => ({ name, value })),
        ],
      },
    },
  },
  statement: {
    rateBasedStatement: {
      limit,
      evaluationWindowSec: 300,
      aggregateKeyType: 'CUSTOM_KEYS',
      customKeys: [
        {
          header: {
            name: 'authorization',
            // Another spelling of "Bearer" must not start a new count.
            textTransformations: [
              { priority: 0, type: 'COMPRESS_WHITE_SPACE' },
              { priority: 1, type: 'LOWERCASE' },
            ],
          },
        },
      ],
    },
  },
});
