import { describe, expect, test } from 'vitest';
import { functionsOf, mentioned, resourceOf, resourcesOf } from '../support/read-template.ts';
import { templateOf, variants } from '../support/synthesize-stage.ts';

describe.each(variants)('in %s', async (_, context) => {
  const template = await templateOf(context);

  test('there is a saved query by request, by token and by workspace', () => {
    const queries = resourcesOf(template, 'AWS::Logs::QueryDefinition').map(
      ([, { Properties }]) => Properties,
    );
    const { stage = 'dev' } = context;
    expect(queries.map(({ Name }) => Name).sort()).toEqual(
      ['request', 'token', 'workspace'].map((name) => `WorkforcePayments-${stage}/by ${name}`),
    );
    for (const { QueryString } of queries) {
      expect(QueryString).toMatch(/\| filter (request_id|token|workspace) = "PUT THE ID HERE"/);
    }
  });

  test('they look at the lines of the API and of every function that works on requests', () => {
    const functions = functionsOf(template);
    // Its lines name no request, token or workspace.
    functions.delete('validate-versions');
    const [, stage] = resourceOf(template, 'AWS::ApiGateway::Stage');
    const groups = [
      ...mentioned(stage.Properties.AccessLogSetting.DestinationArn),
      ...[...functions.values()].flatMap(([, { Properties }]) =>
        mentioned(Properties.LoggingConfig.LogGroup),
      ),
    ].filter((id) => !id.startsWith('AWS::'));
    for (const [, { Properties }] of resourcesOf(template, 'AWS::Logs::QueryDefinition')) {
      expect(mentioned(Properties.LogGroupNames).sort()).toEqual(groups.sort());
    }
  });
});
