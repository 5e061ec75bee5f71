import { expect, test } from 'vitest';
import {
  asText,
  developmentTemplate,
  functionsOf,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import {
  everything,
  production,
  type Stage,
  synthesizedApp,
  templateOf,
} from '../support/synthesize-stage.ts';

const development = developmentTemplate();
const minimal = await templateOf(production);

test('production protects its table from being deleted, and keeps it without its stack', () => {
  const [, table] = resourceOf(minimal, 'AWS::DynamoDB::Table');
  expect(table.Properties.DeletionProtectionEnabled).toBe(true);
  expect([table.DeletionPolicy, table.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
});

test('development goes with its stack, with the table and all', () => {
  const [, table] = resourceOf(development, 'AWS::DynamoDB::Table');
  expect(table.Properties.DeletionProtectionEnabled).toBe(false);
  const policies = Object.values(development.Resources).map(({ DeletionPolicy }) => DeletionPolicy);
  expect(policies).not.toContain('Retain');
});

test.each([
  ['development', 7, 'Delete', {}],
  ['production', 365, 'RetainExceptOnCreate', production],
  ['production with everything', 30, 'RetainExceptOnCreate', everything],
] as const)(
  '%s keeps its logs for %i days; with the stack gone: %s',
  async (_, days, policy, context) => {
    const template = await templateOf(context);
    const logs = resourcesOf(template, 'AWS::Logs::LogGroup');
    // One for each function, two for the API (its access log and its execution log), and one for
    // the firewall.
    const firewalls = resourcesOf(template, 'AWS::WAFv2::WebACL');
    expect(logs).toHaveLength(functionsOf(template).size + 2 + firewalls.length);
    for (const [, { Properties, DeletionPolicy }] of logs) {
      expect([Properties.RetentionInDays, DeletionPolicy]).toEqual([days, policy]);
    }
  },
);

test('two stages share no name and no resource of the account', () => {
  for (const { Resources } of [development, minimal]) {
    expect(Object.values(Resources).map(({ Type }) => Type)).not.toContain(
      'AWS::ApiGateway::Account',
    );
  }
  const named = (template: SynthesizedTemplate) =>
    Object.values(template.Resources)
      // What a policy is called is between it and its role.
      .filter(({ Type }) => Type !== 'AWS::IAM::Policy')
      .flatMap(({ Type, Properties }) =>
        Object.entries(Properties ?? {})
          // Name, or as its type: the QueueName of an AWS::SQS::Queue.
          .filter(([property]) => property === 'Name' || `${Type}Name`.endsWith(`:${property}`))
          .map(([property, value]) => `${Type} ${property} ${asText(value)}`),
      );
  expect(named(development)).toContain('AWS::ApiGateway::RestApi Name WorkforcePayments-dev');
  expect(named(minimal)).toContainEqual(
    expect.stringMatching(/DashboardName .*WorkforcePayments-prod-.*AWS::Region/),
  );
  expect(named(minimal).filter((name) => named(development).includes(name))).toEqual([]);
});

test('only production is protected from being taken down', async () => {
  const isProtected = async (stage: Stage) =>
    (await synthesizedApp(stage)).synth().stacks[0]?.terminationProtection;
  expect([await isProtected({}), await isProtected(production)]).toEqual([false, true]);
});

test("a log group that was kept is in nobody's way: its name has the id of what it logs", () => {
  const named = resourcesOf(minimal, 'AWS::Logs::LogGroup').filter(
    ([, { Properties }]) => Properties.LogGroupName,
  );
  expect(named.map(([, { Properties }]) => asText(Properties.LogGroupName)).sort()).toEqual([
    `API-Gateway-Execution-Logs_\${${resourceOf(minimal, 'AWS::ApiGateway::RestApi')[0]}}/prod`,
    `aws-waf-logs-workforce-payments-prod-\${${resourceOf(minimal, 'AWS::WAFv2::WebACL')[0]}.Id}`,
  ]);
});
