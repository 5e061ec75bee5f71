import { describe, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import {
  functionsOf,
  mentioned,
  type Resource,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf } from '../support/synthesize-stage.ts';
import { evaluateMath } from './metric-math.ts';

/** What responds to requests: queues and the stream keep what the other functions fail to do. */
const names = ['authorize', ...Object.values(routes).map(({ functionName }) => functionName)];

const idOf = (template: SynthesizedTemplate, functionName: string) =>
  functionsOf(template).get(functionName)?.[0] ?? '';

/** The one alias of a function. */
const aliasOf = (template: SynthesizedTemplate, functionName: string) => {
  const found = resourcesOf(template, 'AWS::Lambda::Alias').filter(([, { Properties }]) =>
    mentioned(Properties.FunctionName).includes(idOf(template, functionName)),
  );
  if (found.length !== 1) throw new Error(`${functionName} has not one alias.`);
  return found[0] as [string, Resource];
};

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

  test('no other function has an alias', () => {
    expect(resourcesOf(template, 'AWS::Lambda::Alias')).toHaveLength(names.length);
  });

  test.each(names)('%s is only ever called through the alias', (functionName) => {
    const [alias] = aliasOf(template, functionName);
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

  describe.each(names)('the alarm that ends a deployment of %s', (functionName) => {
    const { AlarmConfiguration } = deploymentGroupOf(template, functionName);
    const [id = ''] = mentioned(AlarmConfiguration.Alarms);
    const { Metrics, Threshold } = template.Resources[id]?.Properties ?? {};
    const [{ Expression }] = Metrics;

    test.each([
      [false, { errors: 1, calls: 1 }],
      [false, { problems: 2, calls: 100 }],
      [false, { calls: 10 }],
      [true, { errors: 2, calls: 2 }],
      [true, { errors: 1, problems: 9, calls: 100 }],
    ])('goes red: %j after %j', (goesRed, values) => {
      const none = { errors: undefined, problems: undefined };
      expect(evaluateMath(Expression, { ...none, ...values }) > Threshold).toBe(goesRed);
    });
  });
});

test('without the canary, a new version is deployed at once, even while alarms are red', async () => {
  const template = await templateOf({ ...production, canary: false });
  for (const functionName of names) {
    const { DeploymentConfigName, AlarmConfiguration } = deploymentGroupOf(template, functionName);
    expect(DeploymentConfigName).toBe('CodeDeployDefault.LambdaAllAtOnce');
    expect(AlarmConfiguration.Enabled).toBe(false);
    const [, { UpdatePolicy }] = aliasOf(template, functionName);
    expect(UpdatePolicy?.CodeDeployLambdaAliasUpdate).toBeDefined();
  }
});
