import { expect, test } from 'vitest';
import { asText, type Resource, resourceOf } from '../support/read-template.ts';
import { everything, production, templateOf } from '../support/synthesize-stage.ts';

const stage = 'eu-prod';
const template = await templateOf({ ...production, stage, keepData: true });
const firewallOf = (from: typeof template) => resourceOf(from, 'AWS::WAFv2::WebACL')[1].Properties;

const limitsOf = (from: typeof template): Record<string, number> =>
  Object.fromEntries(
    firewallOf(from)
      .Rules.filter(({ Statement }: Resource['Properties']) => Statement.RateBasedStatement)
      .map(({ Name, Statement }: Resource['Properties']) => [
        Name,
        Statement.RateBasedStatement.Limit,
      ]),
  );

test('the metrics of a firewall are those of its stage', () => {
  const { VisibilityConfig, Rules } = firewallOf(template);
  const all = [
    VisibilityConfig,
    ...Rules.map((rule: Resource['Properties']) => rule.VisibilityConfig),
  ];
  const names = all.map(({ MetricName }) => MetricName);
  expect(new Set(names).size).toBe(5);
  for (const name of names) expect(name).toMatch(/^WorkforcePayments-eu-prod(-\w+)?$/);
});

test('the dashboard searches the metrics of its stage, whose names must be in quotes', () => {
  const body = asText(
    resourceOf(template, 'AWS::CloudWatch::Dashboard')[1].Properties.DashboardBody,
  );
  const searches = [...body.matchAll(/SEARCH\('(.+?)', 'Sum'\)/g)].map(([, of]) => of);
  expect(searches.map((of) => JSON.parse(`"${of}"`))).toEqual([
    '{"WorkforcePayments/eu-prod",service,code} MetricName="Problem"',
    'WebACL="WorkforcePayments-eu-prod" MetricName="BlockedRequests"',
  ]);
});

test.each([
  [500, 15_000, 30_000],
  [50, 1500, 3000],
  [1, 30, 60],
])(
  'at %s requests a second, a token may send a tenth and an address a fifth',
  async (throttlingRate, token, address) => {
    const { requestsPerToken, requestsPerAddress, ...others } = everything;
    const limits = limitsOf(await templateOf({ ...others, throttlingRate }));
    expect(limits).toEqual({ RequestsPerAddress: address, RequestsPerToken: token });
  },
);
