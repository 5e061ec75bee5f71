import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { problemDetails } from '../../functions/domain/problem.ts';
import { responseHeaders } from '../../functions/domain/response-headers.ts';
import type { Alarms } from './alarms.ts';
import type { Settings } from './settings.ts';

/**
 * Rules of AWS that are counted and not enforced. A reason or a name is free text that is never
 * executed, and may mention a path, a script or an address; the functions check the length of a
 * body themselves and respond with a problem; API clients need no User-Agent.
 */
const countedOnly = [
  'CrossSiteScripting_BODY',
  'EC2MetaDataSSRF_BODY',
  'GenericLFI_BODY',
  'GenericRFI_BODY',
  'NoUserAgent_HEADER',
  'SizeRestrictions_BODY',
];

export interface FirewallProps {
  readonly stageArn: string;
  readonly settings: Settings;
  readonly alarms: Alarms;
  readonly limits: NonNullable<Settings['firewall']>;
}

/** AWS WAF in front of the API: AWS's lists and rules, and rate limits by address and by token. */
export class Firewall extends Construct {
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const { stageArn, settings, alarms, limits } = props;
    const acl = new CfnWebACL(this, 'WebAcl', {
      // Its metrics have the one or the other as their dimension WebACL.
      name: firewallMetrics(settings),
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visible(firewallMetrics(settings)),
      customResponseBodies: { tooMany: tooManyRequests },
      // Of logs and samples alike; the redacted fields of a logging configuration would leave the
      // samples as they are (AWS WAF Developer Guide, "Logging AWS WAF protection pack (web ACL)
      // traffic"; "Data protection"). The rate limit's key is the token, and the details of a match
      // quote the body, which may hold a reason.
      dataProtectionConfig: {
        dataProtections: [
          { fieldType: 'SINGLE_HEADER', fieldKeys: ['authorization'] },
          { fieldType: 'BODY' },
        ].map((field) => ({ action: 'SUBSTITUTION', field })),
      },
      rules: [
        // Addresses that AWS has seen attack others ("IP reputation rule groups").
        managed('AddressReputation', 0, 'AmazonIpReputationList'),
        rateLimit(perAddress, 1, limits.requestsPerAddress, { aggregateKeyType: 'IP' }),
        managed('Common', 2, 'CommonRuleSet'),
        rateLimit(perToken, 3, limits.requestsPerToken, byToken),
      ].map((rule) => ({
        ...rule,
        visibilityConfig: visible(ruleMetrics(settings, rule.name)),
      })),
    });
    new CfnWebACLAssociation(this, 'Association', {
      resourceArn: stageArn,
      webAclArn: acl.attrArn,
    });
    this.logGroup = this.#log(acl, settings);
    alarms.add('BlockedRequests', {
      means:
        "AWS's rules have blocked at least 50 requests in 15 minutes, and more than a tenth of all: clients may get 403.",
      metric: blockedShare(Stack.of(this), settings),
      threshold: 10,
    });
  }

  #log(acl: CfnWebACL, { stage, ...settings }: Settings): LogGroup {
    const logs = new LogGroup(this, 'Logs', {
      // AWS WAF requires the prefix ("Amazon CloudWatch Logs" of the AWS WAF Developer Guide). A
      // group that outlives its firewall is not in the way of the next one: no two have one id.
      logGroupName: `aws-waf-logs-workforce-payments-${stage}-${acl.attrId}`,
      ...settings.logs,
    });
    new CfnLoggingConfiguration(this, 'Logging', {
      resourceArn: acl.attrArn,
      // Without the `:*` at the end of the group's own ARN.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: 'logs',
          resource: 'log-group',
          resourceName: logs.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      // As the web ACL's own, for readers of either.
      redactedFields: [{ singleHeader: { Name: 'authorization' } }],
      // What it allows is in the access log.
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: [
              { ActionCondition: { Action: 'BLOCK' } },
              { ActionCondition: { Action: 'COUNT' } },
              { ActionCondition: { Action: 'EXCLUDED_AS_COUNT' } },
            ],
          },
        ],
      },
    });
    return logs;
  }
}

/** The name of the firewall, with which those of its rules' metrics begin. */
const firewallMetrics = ({ stage }: Pick<Settings, 'stage'>) => `WorkforcePayments-${stage}`;

const ruleMetrics = (settings: Settings, name: string) => `${firewallMetrics(settings)}-${name}`;

/**
 * What the firewall blocks, by rule, by the rules of AWS's groups and by their labels: whatever
 * other dimensions a metric has ("AWS WAF metrics and dimensions").
 */
export const blockedRequests = (settings: Settings): MathExpression =>
  new MathExpression({
    expression: `SEARCH('WebACL="${firewallMetrics(settings)}" MetricName="BlockedRequests"', 'Sum')`,
    label: '',
  });

/**
 * How many of a hundred requests AWS's rules have blocked, if they are many: AWS moves the rules,
 * and nobody else would hear of an update that blocks clients. It is what all rules (`ALL`) have
 * blocked but our own limits, because metrics of AWS's groups may be visible to their owner alone;
 * AWS WAF reports no zero ("AWS WAF metrics and dimensions").
 */
const blockedShare = (stack: Stack, settings: Settings): MathExpression => {
  const period = Duration.minutes(15);
  const requests = (metricName: 'AllowedRequests' | 'BlockedRequests', Rule: string) =>
    new Metric({
      namespace: 'AWS/WAFV2',
      metricName,
      dimensionsMap: { WebACL: firewallMetrics(settings), Region: stack.region, Rule },
      statistic: Stats.SUM,
      period,
    });
  const byAws = '(FILL(blocked, 0) - FILL(address, 0) - FILL(token, 0))';
  return new MathExpression({
    expression: `IF(${byAws} >= 50, 100 * ${byAws} / (FILL(allowed, 0) + FILL(blocked, 0)), 0)`,
    period,
    usingMetrics: {
      blocked: requests('BlockedRequests', 'ALL'),
      address: requests('BlockedRequests', ruleMetrics(settings, perAddress)),
      token: requests('BlockedRequests', ruleMetrics(settings, perToken)),
      allowed: requests('AllowedRequests', 'ALL'),
    },
  });
};

/** The rules of our own limits. */
const [perAddress, perToken] = ['RequestsPerAddress', 'RequestsPerToken'] as const;

type Rule = Omit<CfnWebACL.RuleProperty, 'visibilityConfig'>;

const visible = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  cloudWatchMetricsEnabled: true,
  metricName,
  sampledRequestsEnabled: true,
});

/** AWS WAF has no variables, so this problem has no request_id. */
const tooManyRequests: CfnWebACL.CustomResponseBodyProperty = {
  contentType: 'APPLICATION_JSON',
  content: JSON.stringify({
    ...problemDetails(
      'rate_limited',
      'Too many requests come from this token or address. Wait, then try again.',
      '',
    ),
    request_id: undefined,
  }),
};

/** A group of AWS's rules, which ignores the names of others (RuleActionOverride, AWS WAFV2). */
const managed = (name: string, priority: number, group: string): Rule => ({
  name,
  priority,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name: `AWSManagedRules${group}`,
      ruleActionOverrides: countedOnly.map((each) => ({ name: each, actionToUse: { count: {} } })),
    },
  },
});

/** Another spelling of "Bearer" must not start a new count. */
const byToken = {
  aggregateKeyType: 'CUSTOM_KEYS',
  customKeys: [
    {
      header: {
        name: 'authorization',
        textTransformations: [
          { priority: 0, type: 'COMPRESS_WHITE_SPACE' },
          { priority: 1, type: 'LOWERCASE' },
        ],
      },
    },
  ],
};

/** Responds with 429 to requests over a limit in five minutes. */
const rateLimit = (
  name: string,
  priority: number,
  limit: number,
  by: Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>,
): Rule => ({
  name,
  priority,
  action: {
    block: {
      // Takes precedence over API Gateway's WAF_FILTERED ("Gateway response types").
      customResponse: {
        responseCode: 429,
        customResponseBodyKey: 'tooMany',
        responseHeaders: [
          // The window of the rule is five minutes: a second would not help.
          { name: 'Retry-After', value: '60' },
          ...Object.entries(responseHeaders).map(([header, value]) => ({ name: header, value })),
        ],
      },
    },
  },
  statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, ...by } },
});
