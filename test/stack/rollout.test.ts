import { describe, expect, test } from 'vitest';
import {
  developmentTemplate,
  functionsOf,
  mentioned,
  type Resource,
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
    const [alias] = aliasOf(template, functionName);

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
