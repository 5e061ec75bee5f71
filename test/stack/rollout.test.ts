import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  functionsOf,
  mentioned,
  type Resource,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';

const names = [...functionsOf(developmentTemplate()).keys()];

const idOf = (template: SynthesizedTemplate, functionName: string) =>
  functionsOf(template).get(functionName)?.[0] ?? '';

/** The one resource of a type whose property refers to another resource. */
const referring = (
  template: SynthesizedTemplate,
  type: string,
  property: string,
  to: string,
): [string, Resource] => {
  const found = resourcesOf(template, type).filter(([, { Properties }]) =>
    mentioned(Properties[property]).includes(to),
  );
  if (found.length !== 1) throw new Error(`Not one ${type} refers to ${to}.`);
  return found[0] as [string, Resource];
};

const aliasOf = (template: SynthesizedTemplate, functionName: string) =>
  referring(template, 'AWS::Lambda::Alias', 'FunctionName', idOf(template, functionName));

/** How the versions of a function are released. */
const deploymentGroupOf = (template: SynthesizedTemplate, functionName: string) => {
  const [, { UpdatePolicy }] = aliasOf(template, functionName);
  const [group = ''] = mentioned(UpdatePolicy?.CodeDeployLambdaAliasUpdate?.DeploymentGroupName);
  return template.Resources[group]?.Properties ?? {};
};

/** What invokes functions, by what each refers to: methods, the authorizer, queues, the stream. */
const callers = (template: SynthesizedTemplate) => [
  ...resourcesOf(template, 'AWS::ApiGateway::Method').map(
    ([, { Properties }]) => Properties.Integration.Uri,
  ),
  ...resourcesOf(template, 'AWS::ApiGateway::Authorizer').map(
    ([, { Properties }]) => Properties.AuthorizerUri,
  ),
  ...resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
    ([, { Properties }]) => Properties.FunctionName,
  ),
];

describe('production', async () => {
  const template = await templateOf(production);

  describe.each(names)('%s', (functionName) => {
    const [alias, { Properties, UpdatePolicy }] = aliasOf(template, functionName);

    test('has a version behind the alias `live`, and keeps the ones before it', () => {
      const [version, { DeletionPolicy, UpdateReplacePolicy }] = referring(
        template,
        'AWS::Lambda::Version',
        'FunctionName',
        idOf(template, functionName),
      );
      expect(Properties.Name).toBe('live');
      expect(Properties.FunctionVersion).toEqual({ 'Fn::GetAtt': [version, 'Version'] });
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual(['RetainExceptOnCreate', 'Retain']);
    });

    test('gets a new version through CodeDeploy: a tenth of the calls for five minutes', () => {
      const [application, { Properties: deployed }] = resourceOf(
        template,
        'AWS::CodeDeploy::Application',
      );
      expect(deployed.ComputePlatform).toBe('Lambda');
      expect(UpdatePolicy?.CodeDeployLambdaAliasUpdate?.ApplicationName).toEqual({
        Ref: application,
      });
      expect(deploymentGroupOf(template, functionName)).toMatchObject({
        ApplicationName: { Ref: application },
        DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
        DeploymentStyle: {
          DeploymentType: 'BLUE_GREEN',
          DeploymentOption: 'WITH_TRAFFIC_CONTROL',
        },
      });
    });

    test('gets its old version back as soon as its alarm is red', () => {
      const { AlarmConfiguration, AutoRollbackConfiguration } = deploymentGroupOf(
        template,
        functionName,
      );
      expect(AutoRollbackConfiguration.Enabled).toBe(true);
      expect(AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_STOP_ON_ALARM');
      expect(AutoRollbackConfiguration.Events).toContain('DEPLOYMENT_FAILURE');
      expect(AlarmConfiguration.Enabled).toBe(true);
      expect(AlarmConfiguration.Alarms).toHaveLength(1);
    });

    test('has an alarm that any crash, timeout or fault of its own in five minutes sets off', () => {
      const { AlarmConfiguration } = deploymentGroupOf(template, functionName);
      const [alarm = ''] = mentioned(AlarmConfiguration.Alarms[0]);
      const { Metrics, ...properties } = template.Resources[alarm]?.Properties ?? {};
      expect(properties).toMatchObject({
        Threshold: 0,
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 5,
        DatapointsToAlarm: 1,
        TreatMissingData: 'notBreaching',
      });
      const [sum, ...summands] = Metrics;
      expect(sum.Expression).toBe('FILL(errors, 0) + FILL(problems, 0) + FILL(messages, 0)');
      const metric = (Id: string, Namespace: string, MetricName: string, Dimensions: unknown) => ({
        Id,
        ReturnData: false,
        MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: 60, Stat: 'Sum' },
      });
      const lambda = { Ref: idOf(template, functionName) };
      const service = { Name: 'service', Value: functionName };
      expect(summands).toEqual([
        metric('errors', 'AWS/Lambda', 'Errors', [
          { Name: 'FunctionName', Value: lambda },
          // By alias, so that a failed call of another version does not fail a rollout.
          { Name: 'Resource', Value: { 'Fn::Join': ['', [lambda, ':live']] } },
        ]),
        metric('problems', 'WorkforcePayments/prod', 'Problem', [
          { Name: 'code', Value: 'internal_error' },
          service,
        ]),
        metric('messages', 'WorkforcePayments/prod', 'MessageFailed', [service]),
      ]);
    });

    test('is only ever called through the alias', () => {
      const bare = idOf(template, functionName);
      const called = callers(template).flatMap(mentioned);
      expect(called).toContain(alias);
      expect(called).not.toContain(bare);
      // permissions.test.ts checks whom policies allow to call what.
      const others = Object.values(template.Resources).filter(
        ({ Type }) => !/^AWS::(Lambda::(Version|Alias)|CloudWatch::\w+|IAM::Policy)$/.test(Type),
      );
      expect(others.flatMap(mentioned)).not.toContain(bare);
    });
  });

  test('new versions are called by a hook before anybody else calls them', () => {
    const hook = idOf(template, 'validate-versions');
    const { Environment } = template.Resources[hook]?.Properties ?? {};
    const aliases = names.map((functionName) => aliasOf(template, functionName)[1]);
    const [calling] = resourcesOf(template, 'AWS::IAM::Policy').find(([, { Properties }]) =>
      mentioned(Properties.PolicyDocument).includes(hook),
    ) ?? [''];
    for (const { UpdatePolicy, DependsOn } of aliases) {
      expect(UpdatePolicy?.CodeDeployLambdaAliasUpdate?.BeforeAllowTrafficHook).toEqual({
        Ref: hook,
      });
      // Otherwise CodeDeploy could call the hook while it still names the versions before.
      expect(DependsOn).toContain(hook);
      // In the first deployment with the canary, CodeDeploy could not call it yet.
      expect(DependsOn).toContain(calling);
    }
    expect(mentioned(Environment.Variables.VERSIONS).sort()).toEqual(
      aliases.flatMap(({ Properties }) => mentioned(Properties.FunctionVersion)).sort(),
    );
  });
});

test('without the canary, a new version is deployed at once, even while alarms are red', async () => {
  const template = await templateOf({ ...production, canary: 'false' });
  for (const functionName of names) {
    const { DeploymentConfigName, AlarmConfiguration } = deploymentGroupOf(template, functionName);
    expect(DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
    expect(AlarmConfiguration.Enabled).toBe(false);
    const [, { UpdatePolicy }] = aliasOf(template, functionName);
    expect(UpdatePolicy?.CodeDeployLambdaAliasUpdate).not.toHaveProperty('BeforeAllowTrafficHook');
  }
});

test('development replaces its functions: no versions, no aliases, no CodeDeploy', () => {
  const template = developmentTemplate();
  const rollout = Object.values(template.Resources).filter(({ Type }) =>
    /^AWS::(Lambda::(Version|Alias)|CodeDeploy::\w+)$/.test(Type),
  );
  expect(rollout).toEqual([]);
  expect(callers(template).flatMap(mentioned)).toEqual(
    expect.arrayContaining([...functionsOf(template).values()].map(([id]) => id)),
  );
});
