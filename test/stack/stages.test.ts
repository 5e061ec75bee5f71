import { describe, expect, test } from 'vitest';
import { everything, production, synthesizedApp, templateOf } from '../support/synthesis.ts';
import {
  asText,
  developmentTemplate,
  functionsOf,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/synthesized.ts';

const development = developmentTemplate();
const minimal = await templateOf(production);

/** What the logs of each group are kept for, in days, and what happens to them with the stack. */
const logsOf = (template: SynthesizedTemplate) =>
  resourcesOf(template, 'AWS::Logs::LogGroup').map(([, { Properties, DeletionPolicy }]) => [
    Properties.RetentionInDays,
    DeletionPolicy,
  ]);

// One for each function and two for the API: its access log and its execution log.
const everyLog = (template: SynthesizedTemplate, days: number, policy: string) =>
  Array.from({ length: functionsOf(template).size + 2 }, () => [days, policy]);

describe('production', () => {
  const [, table] = resourceOf(minimal, 'AWS::DynamoDB::Table');

  test('protects its table from being deleted, and keeps it without its stack', () => {
    expect(table.Properties.DeletionProtectionEnabled).toBe(true);
    expect([table.DeletionPolicy, table.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
  });

  test('can restore its table to any second', () => {
    expect(table.Properties.PointInTimeRecoverySpecification).toEqual({
      PointInTimeRecoveryEnabled: true,
    });
  });

  test('keeps its logs for a year, and with them when the stack goes', () => {
    expect(logsOf(minimal)).toEqual(everyLog(minimal, 365, 'Retain'));
  });

  test('keeps its logs for as long as is set', async () => {
    const days = Number(everything.logRetentionDays);
    const template = await templateOf(everything);
    expect(logsOf(template)).toEqual(everyLog(template, days, 'Retain'));
  });

  test('sends from its own address', () => {
    const [, deliver] = functionsOf(minimal).get('deliver-offer') ?? [];
    expect(deliver?.Properties.Environment.Variables.SENDER).toBe(production.sender);
  });
});

describe('development', () => {
  test('goes with its stack, with the table and all', () => {
    const [, table] = resourceOf(development, 'AWS::DynamoDB::Table');
    expect(table.Properties.DeletionProtectionEnabled).toBe(false);
    // API Gateway's role is the account's: another API may be logging with it by then.
    const kept = Object.entries(development.Resources).filter(
      ([, { DeletionPolicy }]) => DeletionPolicy === 'Retain',
    );
    expect(kept.map(([, { Type }]) => Type).sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::IAM::Role',
    ]);
  });

  test('keeps its logs for a week', () => {
    expect(logsOf(development)).toEqual(everyLog(development, 7, 'Delete'));
  });
});

test('two stages share no name in an account', () => {
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
  const isProtected = async (context: Record<string, string>) =>
    (await synthesizedApp(context)).synth().stacks[0]?.terminationProtection;
  expect([await isProtected({}), await isProtected(production)]).toEqual([false, true]);
});
