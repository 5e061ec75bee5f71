import { globSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { tapOf } from '../../bin/smoke/event-tap.ts';
import type { TableAccess } from '../../functions/contract/access.ts';
import { outbox } from '../../functions/domain/outbox.ts';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { operationIds, operations } from '../../lib/openapi/operations.ts';
import { calls, permissions, runbookPermissions } from '../../lib/stack/operator-access.ts';
import { partitions } from '../../lib/stack/table-access.ts';
import {
  asText,
  consumers,
  functionsOf,
  mappingOf,
  mentioned,
  policiesOf,
  queuesOf,
  type Resource,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf, variants } from '../support/synthesize-stage.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: Record<string, Record<string, string | string[]>>;
}

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

const roleOf = (template: SynthesizedTemplate, functionName: string): [string, Resource] => {
  const [, lambda] = functionsOf(template).get(functionName) ?? [];
  const [role = ''] = mentioned(lambda?.Properties.Role);
  return [role, template.Resources[role] as Resource];
};

const statementsOf = (template: SynthesizedTemplate, functionName: string): Statement[] =>
  policiesOf(template, functionName).flatMap(
    ([, { Properties }]) => Properties.PolicyDocument.Statement,
  );

/** Actions, each on each of these resources. */
const permit = (actions: readonly string[], ...resources: readonly string[]): string[] =>
  actions.flatMap((action) => resources.map((resource) => `${action} on ${resource}`));

/** What a function is allowed to do, and on what. */
const allowedTo = (template: SynthesizedTemplate, functionName: string): string[] =>
  statementsOf(template, functionName)
    .flatMap(({ Effect, Action, Resource }) =>
      permit(
        list(Action).map((action) => (Effect === 'Allow' ? action : `${Effect} ${action}`)),
        ...list(Resource).map(asText),
      ),
    )
    .sort();

/** An ARN of the stack's account and region. */
const arnHere = (service: string, resource: string) =>
  `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`;

const stackArn = (stage: string, id: string) =>
  arnHere('cloudformation', `stack/WorkforcePayments-${stage}/${id}`);

/** Whether an IAM pattern, in which `*` is any text, matches. */
const matches = (pattern: string, text: string) =>
  new RegExp(`^${pattern.replaceAll(/[^\w*]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

/** Whether one of these statements without conditions allows an action on a resource. */
const isAllowed = (statements: readonly Statement[], action: string, arn: string) =>
  statements.some(
    ({ Effect, Action, Resource }) =>
      Effect === 'Allow' &&
      list(Action).some((pattern) => matches(pattern, action)) &&
      list(Resource).some((pattern) => matches(asText(pattern), arn)),
  );

interface TableUse {
  /** Actions of DynamoDB. */
  readonly does: readonly string[];
  /** The partitions that it creates items in, and those whose items it updates. */
  readonly creates?: readonly string[];
  readonly updates?: readonly string[] | undefined;
}

/** The use that the contract of an endpoint names. */
const useOf = ({ reads, creates = [], checks = [], updates, claims }: TableAccess): TableUse => ({
  does: [
    ...reads,
    ...(creates.length > 0 ? ['PutItem'] : []),
    ...(checks.length > 0 ? ['ConditionCheckItem'] : []),
    ...(updates ? ['UpdateItem'] : []),
    ...(claims ? ['DeleteItem', 'PutItem'] : []),
  ],
  creates: [...creates.map((name) => partitions[name]), ...(claims ? ['CLAIM#*'] : [])],
  updates: updates?.in.map((name) => partitions[name]),
});

/** What each function does with the table. */
const tableUses: Readonly<Record<string, TableUse>> = {
  authorize: { does: ['GetItem'] },
  ...Object.fromEntries(
    operationIds.map((id) => [routes[id].functionName, useOf(operations[id].access)]),
  ),
  'relay-outbox': { does: ['GetItem'] },
  'publish-events': { does: ['GetItem'] },
  'provision-sandbox': {
    does: ['GetItem', 'PutItem', 'UpdateItem'],
    creates: ['WORKSPACE#wsp_test_*', 'ACCOUNT#acc_test_*', 'PAYMENT_REQUEST#*', 'OFFER#*'],
    updates: ['WORKSPACE#*'],
  },
  'deliver-offer': { does: ['GetItem', 'UpdateItem'], updates: ['OFFER#*'] },
  'record-mail-event': { does: ['GetItem', 'UpdateItem'], updates: ['OFFER#*'] },
  'import-record': {
    does: ['GetItem', 'PutItem', 'UpdateItem'],
    creates: ['PAYMENT_REQUEST#*', 'OFFER#*'],
    updates: ['PAYMENT_REQUEST#*', 'OFFER#*'],
  },
};
const functionNames = Object.keys(tableUses);

const arnOf = (logicalId: string) => `\${${logicalId}.Arn}`;

const deadLettersOf = (template: SynthesizedTemplate, functionName: string) =>
  asText(mappingOf(template, functionName).DestinationConfig.OnFailure.Destination);

const readsStream = (template: SynthesizedTemplate, functionName: string): string[] => {
  const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
  return [
    ...permit(
      ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
      `\${${table}.StreamArn}`,
    ),
    ...permit(['dynamodb:ListStreams'], '*'),
    ...permit(['sqs:SendMessage'], deadLettersOf(template, functionName)),
  ];
};

const consumes = (template: SynthesizedTemplate, functionName: string): string[] => {
  const { queue, deadLetters } = queuesOf(template, functionName);
  return [
    ...permit(['sqs:DeleteMessage', 'sqs:GetQueueAttributes', 'sqs:ReceiveMessage'], arnOf(queue)),
    ...permit(['sqs:SendMessage'], arnOf(deadLetters)),
  ];
};

const sendsMail = (template: SynthesizedTemplate): string[] => {
  const [configurationSet] = resourceOf(template, 'AWS::SES::ConfigurationSet');
  return [
    ...permit(
      ['ses:SendEmail'],
      arnHere('ses', 'identity/*'),
      arnHere('ses', `configuration-set/\${${configurationSet}}`),
    ),
    ...permit(['sqs:ChangeMessageVisibility'], arnOf(queuesOf(template, 'deliver-offer').queue)),
  ];
};

/** All that a function needs to be allowed. */
const needs = (template: SynthesizedTemplate, functionName: string): string[] => {
  const [, lambda] = functionsOf(template).get(functionName) ?? [];
  const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
  const [bus] = resourceOf(template, 'AWS::Events::EventBus');
  const needed = [
    // No action of X-Ray's takes a resource (Service Authorization Reference).
    ...permit(['xray:PutTelemetryRecords', 'xray:PutTraceSegments'], '*'),
    ...permit(
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      ...mentioned(lambda?.Properties.LoggingConfig.LogGroup).map(arnOf),
    ),
    ...permit(
      (tableUses[functionName]?.does ?? []).map((action) => `dynamodb:${action}`),
      arnOf(table),
    ),
  ];
  if (functionName === 'relay-outbox') {
    const queues = Object.values(outbox).map(({ consumer }) => queuesOf(template, consumer).queue);
    needed.push(...readsStream(template, functionName));
    needed.push(...permit(['sqs:SendMessage'], ...queues.map(arnOf)));
  }
  if (functionName === 'publish-events') {
    needed.push(...readsStream(template, functionName));
    needed.push(...permit(['events:PutEvents'], arnOf(bus)));
  }
  if (functionName === 'import-record') needed.push(...permit(['events:PutEvents'], arnOf(bus)));
  if (consumers.some(([, consumer]) => consumer === functionName)) {
    needed.push(...consumes(template, functionName));
  }
  if (functionName === 'deliver-offer') needed.push(...sendsMail(template));
  return [...new Set(needed)].sort();
};

describe.each(variants)('in %s', async (_, context) => {
  const template = await templateOf(context);
  const { sender = 'offers@example.com', stage = 'dev' } = context;

  test('every function is in the list of what functions may do', () => {
    expect(
      [...functionsOf(template).keys()].sort(),
      'Write what each function does with the table into tableUses in test/stack/permissions.test.ts.',
    ).toEqual(functionNames.toSorted());
  });

  describe.each(functionNames)('%s', (functionName) => {
    test('may do what it does, to what it does it to, and nothing else', () => {
      expect(allowedTo(template, functionName)).toEqual(needs(template, functionName));
    });

    // A ForAllValues or IfExists condition is true of a request without its key (IAM User Guide).
    test('has no condition that a request without its key meets', () => {
      for (const { Action, Condition = {} } of statementsOf(template, functionName)) {
        const absent = Object.entries(Condition)
          .filter(([operator]) => /^ForAllValues:|IfExists$/.test(operator))
          .flatMap(([, values]) => Object.keys(values).map((key) => [key, 'false']));
        expect(Condition.Null ?? {}, String(Action)).toEqual(Object.fromEntries(absent));
      }
    });

    test('has a role of its own, for Lambda alone, without policies of others', () => {
      const [role, { Properties }] = roleOf(template, functionName);
      const users = [...functionsOf(template).values()].filter(([, lambda]) =>
        mentioned(lambda.Properties.Role).includes(role),
      );
      expect(users).toHaveLength(1);
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
      expect(Properties).not.toHaveProperty('Policies');
      expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([trust('lambda')]);
    });
  });

  describe('history cannot be rewritten', () => {
    const conditionsOf = (functionName: string, action: string) =>
      statementsOf(template, functionName)
        .filter(({ Action }) => list(Action).includes(action))
        .map(({ Condition }) => Condition ?? {});
    const partitionsOf = (functionName: string, action: string) =>
      conditionsOf(functionName, action).flatMap((condition) =>
        list(condition['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? 'everywhere'),
      );

    test.each(functionNames)(
      '%s writes items in its own partitions, and deletes claims alone',
      (name) => {
        const { does = [], creates = [], updates = [] } = tableUses[name] ?? {};
        expect(partitionsOf(name, 'dynamodb:PutItem')).toEqual(creates);
        expect(partitionsOf(name, 'dynamodb:UpdateItem')).toEqual(updates);
        const deletes = does.includes('DeleteItem') ? ['CLAIM#*'] : [];
        expect(partitionsOf(name, 'dynamodb:DeleteItem')).toEqual(deletes);
        const checks = name === 'approve-payment-request' ? ['PAYMENT_REQUEST#*'] : [];
        expect(partitionsOf(name, 'dynamodb:ConditionCheckItem')).toEqual(checks);
      },
    );

    test('each function changes the attributes that it has to, and never an author', () => {
      const attributesOf = (name: string) =>
        conditionsOf(name, 'dynamodb:UpdateItem').map(
          (condition) => condition['ForAllValues:StringEquals']?.['dynamodb:Attributes'] ?? [],
        );
      const history = ['author', 'revoked', 'approver', 'created', 'id', 'type'];
      for (const name of functionNames.filter((each) => tableUses[each]?.updates)) {
        const attributes = attributesOf(name);
        expect(attributes).toHaveLength(1);
        expect(attributes[0]).toEqual(expect.arrayContaining(['pk', 'sk', 'status']));
        for (const one of history) expect(attributes[0]).not.toContain(one);
      }
      const approving = ['pk', 'sk', 'status', 'version', 'status_version', 'ended'];
      expect(attributesOf('approve-payment-request')).toEqual([approving]);
    });
  });

  test('mail is sent from one address', () => {
    const conditions = [...functionsOf(template).keys()]
      .flatMap((functionName) => statementsOf(template, functionName))
      .filter(({ Action }) => list(Action).includes('ses:SendEmail'));
    expect(conditions).toEqual([
      expect.objectContaining({
        Action: 'ses:SendEmail',
        Condition: { StringEquals: { 'ses:FromAddress': sender } },
      }),
    ]);
  });

  const operatorsPolicies = resourcesOf(template, 'AWS::IAM::ManagedPolicy');
  const [operatorsRole = ''] =
    resourcesOf(template, 'AWS::IAM::Role').find(([, { Properties }]) =>
      mentioned(Properties.ManagedPolicyArns).includes(operatorsPolicies[0]?.[0] ?? ''),
    ) ?? [];

  test('operators may do what their command line and the runbook do, and nothing else', () => {
    const queues = consumers.map(([, name]) => queuesOf(template, name));
    const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
    const arns = {
      stack: ['*', 'an-id'].map((id) => stackArn(stage, id)),
      table: [arnOf(table)],
      queues: queues.map(({ queue }) => arnOf(queue)),
      messages: queues.map(({ deadLetters }) => arnOf(deadLetters)),
      positions: ['relay-outbox', 'publish-events'].map((name) => deadLettersOf(template, name)),
      bus: [arnOf(resourceOf(template, 'AWS::Events::EventBus')[0])],
      logGroups: resourcesOf(template, 'AWS::Logs::LogGroup')
        .map(([id]) => id)
        .filter((id) => !/Execution/.test(id))
        .map(arnOf),
      mappings: resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([id]) =>
        arnHere('lambda', `event-source-mapping:\${${id}}`),
      ),
      configurationSet: resourcesOf(template, 'AWS::SES::ConfigurationSet').map(([id]) =>
        arnHere('ses', `configuration-set/\${${id}}`),
      ),
      dashboard: resourcesOf(template, 'AWS::CloudWatch::Dashboard').map(
        ([, { Properties }]) =>
          `arn:\${AWS::Partition}:cloudwatch::\${AWS::AccountId}:dashboard/${asText(Properties.DashboardName)}`,
      ),
      throttledKeys: [
        arnHere(
          'cloudwatch',
          `insight-rule/DynamoDBContributorInsights-PKT-\${${table}}-1793404800`,
        ),
      ],
      records: [arnOf(queuesOf(template, 'import-record').deadLetters)],
    };
    const statements: Statement[] = operatorsPolicies.flatMap(
      ([, { Properties }]) => Properties.PolicyDocument.Statement,
    );
    const everything = [...new Set(Object.values(arns).flat())];
    const kindsOf = (action: string) =>
      [permissions, runbookPermissions].flatMap((each) => each[action] ?? []);
    const actions = Object.keys({ ...permissions, ...runbookPermissions });
    for (const action of actions) {
      const allowed = everything.filter((arn) => isAllowed(statements, action, arn));
      const needed = kindsOf(action).flatMap((kind) => (kind === 'all' ? everything : arns[kind]));
      expect(allowed, action).toEqual(everything.filter((arn) => needed.includes(arn)));
    }
    for (const { Effect, Action, Resource, ...rest } of statements) {
      expect([Effect, Object.keys(rest)]).toEqual(['Allow', []]);
      expect(actions).toEqual(expect.arrayContaining(list(Action)));
      const isOnAll = list(Resource).some((arn) => /\*(?!$)|^\*$/.test(asText(arn)));
      const mayBe = list(Action).every((action) => kindsOf(action).includes('all'));
      expect([Action, isOnAll]).toEqual([Action, mayBe]);
    }
    const { AssumeRolePolicyDocument } = template.Resources[operatorsRole]?.Properties ?? {};
    const [{ Action, Principal, Condition }, ...others] = AssumeRolePolicyDocument.Statement;
    expect([Action, others]).toEqual(['sts:AssumeRole', []]);
    expect(asText(Principal.AWS)).toMatch(/:root$/);
    const { operators } = context;
    expect(Condition).toEqual(operators && { ArnLike: { 'aws:PrincipalArn': operators } });
  });

  test('the bus takes events of its publishers and of operators, whatever the account allows', () => {
    const [bus] = resourceOf(template, 'AWS::Events::EventBus');
    const [, { Properties }] = resourceOf(template, 'AWS::Events::EventBusPolicy');
    expect(mentioned(Properties.EventBusName)).toEqual([bus]);
    const { Condition, ...statement } = Properties.Statement;
    expect(statement).toMatchObject({
      Effect: 'Deny',
      Principal: '*',
      Action: 'events:PutEvents',
      Resource: { 'Fn::GetAtt': [bus, 'Arn'] },
    });
    expect(Condition.ArnNotEquals['aws:PrincipalArn'].map(asText)).toEqual(
      [
        roleOf(template, 'publish-events')[0],
        roleOf(template, 'import-record')[0],
        operatorsRole,
      ].map(arnOf),
    );
    // What reads the messages of others may put no event that moves money.
    const putting = statementsOf(template, 'import-record').filter(
      ({ Action }) => Action === 'events:PutEvents',
    );
    const only = { 'events:detail-type': 'record.refused', 'events:source': 'workforce-payments' };
    expect(putting.map((each) => each.Condition)).toEqual([{ StringEquals: only }]);
    // A replay of the archive has no role.
    expect(Condition.Bool).toEqual({ 'aws:PrincipalIsAWSService': 'false' });
  });

  test('the queue of records takes messages of its senders and of operators, whatever the account allows', () => {
    const { queue } = queuesOf(template, 'import-record');
    const senders = context.recordSenders ?? [];
    const isRole = (arn: string) => arn.includes(':role/');
    const statements: Statement[] = resourcesOf(template, 'AWS::SQS::QueuePolicy')
      .filter(([, { Properties }]) => mentioned(Properties.Queues).includes(queue))
      .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
      .filter(({ Action }) => Action === 'sqs:SendMessage');
    const [denied, allowed] = statements;
    expect(denied).toMatchObject({ Effect: 'Deny', Principal: '*' });
    expect(list(denied?.Condition?.ArnNotEquals?.['aws:PrincipalArn']).map(asText)).toEqual([
      ...senders.filter(isRole),
      arnOf(operatorsRole),
    ]);
    expect(denied?.Condition?.Bool).toEqual({ 'aws:PrincipalIsAWSService': 'false' });
    const topics = senders.filter((arn) => arn.includes(':sns:'));
    expect(statements).toHaveLength(topics.length > 0 ? 2 : 1);
    if (topics.length === 0) return;
    expect(allowed).toMatchObject({
      Effect: 'Allow',
      Principal: { Service: ['events.amazonaws.com', 'sns.amazonaws.com'] },
      Condition: { ArnEquals: { 'aws:SourceArn': topics } },
    });
  });

  test('every other role is for one service of AWS, with the policy that AWS keeps for it', () => {
    const roles = new Set([
      operatorsRole,
      ...functionNames.map((name) => roleOf(template, name)[0]),
    ]);
    const others = resourcesOf(template, 'AWS::IAM::Role').filter(([id]) => !roles.has(id));
    const found = others.map(([, { Properties }]) => ({
      trusts: Properties.AssumeRolePolicyDocument.Statement,
      policies: Properties.ManagedPolicyArns.map(asText),
    }));
    const kept = `arn:\${AWS::Partition}:iam::aws:policy/service-role`;
    const codeDeploy = {
      trusts: [trust('codedeploy')],
      policies: [`${kept}/AWSCodeDeployRoleForLambdaLimited`],
    };
    expect(found).toEqual(context.sender ? [codeDeploy] : []);
  });

  test('every policy belongs to one function', () => {
    const roles = functionNames.map((name) => roleOf(template, name)[0]);
    for (const [, { Properties }] of resourcesOf(template, 'AWS::IAM::Policy')) {
      expect(Properties.Roles).toHaveLength(1);
      expect(roles).toContain(mentioned(Properties.Roles)[0]);
      expect(Properties).not.toHaveProperty('Users');
      expect(Properties).not.toHaveProperty('Groups');
    }
    const others = Object.values(template.Resources).filter(({ Type }) =>
      /^AWS::IAM::(?!Role$|Policy$)/.test(Type),
    );
    expect(others).toEqual(operatorsPolicies.map(([, policy]) => policy));
  });
});

const trust = (service: string) => ({
  Effect: 'Allow',
  Action: 'sts:AssumeRole',
  Principal: { Service: `${service}.amazonaws.com` },
});

/** The calls of AWS in programs: what bundles that include no package import of the SDK. */
const callsIn = async (...entryPoints: string[]): Promise<string[]> => {
  const { outputFiles } = await build({
    entryPoints,
    outdir: 'unwritten',
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const imports = /import \{([^}]*)\} from "@aws-sdk\/([^"]*)"/g;
  return [
    ...outputFiles
      .map(({ text }) => text)
      .join('\n')
      .matchAll(imports),
  ].flatMap(([, names = '', from]) =>
    [...names.replaceAll(/ as \w+/g, '').matchAll(/\b(?:paginate(\w+)|(\w+)Command)\b/g)].map(
      ([, paged, sent = paged]) => {
        if (from !== 'lib-dynamodb') return String(sent);
        if (/^Transact/.test(String(sent))) return `${sent}Items`;
        return /^(Query|Scan)$/.test(String(sent)) ? String(sent) : `${sent}Item`;
      },
    ),
  );
};

/** A page without what it says of deployers, and the commands behind that. */
const ofOperators = (page: string): string => {
  const parts = page.split(/\n(?=\n|- |\d+\. )/);
  const isOfDeployers = (index: number) => /\bdeployer\b/.test(parts[index] ?? '');
  return parts
    .filter((part, index) => !isOfDeployers(part.trim().startsWith('```') ? index - 1 : index))
    .join('\n');
};

test('the table of operators has each call of a command and of the runbook, and no other', async () => {
  // `aws configure` calls nothing.
  const ofRunbook = [
    ...ofOperators(readFileSync('lib/RUNBOOK.md', 'utf8')).matchAll(
      /\baws (?!configure )[a-z0-9]+ ([a-z-]+)/g,
    ),
  ].map(([, name = '']) => `-${name}`.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase()));
  const ofDashboard = ['ListDashboards', 'GetDashboard', 'GetMetricData'];
  const all = new Set([...(await callsIn('bin/admin/program.ts')), ...ofRunbook, ...ofDashboard]);
  expect([...all].sort()).toEqual(Object.keys(calls).sort());
  const needed = new Set(Object.values(calls).flat());
  const allowed = Object.keys({ ...permissions, ...runbookPermissions });
  expect([...needed].sort()).toEqual(allowed.sort());
});

test('a policy of operators has at most 6,144 characters, in a stage with the longest name too', async () => {
  const longest = 'a'.repeat(31);
  const template = await templateOf({ ...production, stage: longest });
  for (const [, { Properties }] of resourcesOf(template, 'AWS::IAM::ManagedPolicy')) {
    // CloudFormation's names: that of the stack, the logical id and 13 characters.
    const named = (id: string) => `WorkforcePayments-${longest}-${id}-${'x'.repeat(12)}`;
    const text = JSON.stringify(Properties.PolicyDocument, (_, value) =>
      value && typeof value === 'object' && /^(Ref|Fn::)/.test(Object.keys(value)[0] ?? '')
        ? asText(value)
            .replaceAll(/\$\{AWS::Partition\}/g, 'aws-us-gov')
            .replaceAll(/\$\{AWS::Region\}/g, 'ap-southeast-1')
            .replaceAll(/\$\{AWS::AccountId\}/g, '123456789012')
            .replaceAll(
              /\$\{(\w+)\.Arn\}/g,
              (_, id) =>
                `arn:aws-us-gov:dynamodb:ap-southeast-1:123456789012:log-group:${named(id)}:*`,
            )
            .replaceAll(/\$\{(\w+)\}/g, (_, id) => named(id))
        : value,
    );
    expect(text.length).toBeLessThanOrEqual(6144);
  }
});

test('no policy of a stage reaches a stage whose name begins with its own', async () => {
  const eu = 'eu';
  const template = await templateOf({ stage: eu });
  const inTemplate = Object.values(template.Resources)
    .flatMap(({ Properties }) => [Properties?.PolicyDocument, Properties?.AssumeRolePolicyDocument])
    .flatMap((document) => list<Statement>(document?.Statement ?? []))
    .flatMap(({ Resource }) => list(Resource ?? []).map(asText))
    .filter((pattern) => pattern.includes(`-${eu}`) && pattern.includes('*'));
  expect(inTemplate).toEqual([stackArn(eu, '*')]);
  const [, ofCi = ''] =
    /## Deploy from CI(.*?)\n## /s.exec(readFileSync('lib/DEPLOY.md', 'utf8')) ?? [];
  const inGuide = [...ofCi.matchAll(/`(\S*STAGE\S*)`/g)].map(([, text = '']) => text);
  const [table] = resourceOf(template, 'AWS::DynamoDB::Table');
  const namesOf = (stage: string) => [
    `stack/WorkforcePayments-${stage}/an-id`,
    `table/WorkforcePayments-${stage}-${table}-1ABC`,
    `rule/WorkforcePayments-${stage}/${tapOf(`/WorkforcePayments-${stage}`, '01JZ')}`,
    tapOf(`arn:aws:events:us-east-1:1:event-bus/WorkforcePayments-${stage}`, '01JZ'),
  ];
  for (const stage of [eu, 'eu-prod', 'eu-prod-table', 'eu-table', 'eu1']) {
    const reached = namesOf(stage).filter((name) =>
      [...inGuide.map((text) => text.replaceAll('STAGE', eu)), ...inTemplate].some((pattern) =>
        matches(pattern, name),
      ),
    );
    expect(reached, stage).toEqual(stage === eu ? namesOf(eu) : []);
  }
  // The longest name of a rule (PutRule).
  expect(tapOf(`/WorkforcePayments-${'a'.repeat(31)}`, newOpaque()).length).toBeLessThanOrEqual(64);
});

test("CI's role may do what the tests of the contract do to a stage, and nothing else", async () => {
  const programs = ['bin/smoke/command-line.ts', ...globSync('test/service/*.test.ts')];
  const made = (await callsIn(...programs)).flatMap((call) =>
    call.startsWith('Transact') ? (calls[call] ?? call) : call.replace(/(?<=Message)Batch$/, ''),
  );
  const needed = new Set(made.map((action) => action.replace(/^\w+:/, '')));
  // Of every role, of none, of a stage that keeps its data, and of what the tests only import.
  const others = ['DescribeStacks', 'GetCallerIdentity', 'GetStackPolicy', 'Scan'];
  for (const other of others) needed.delete(other);
  const [, guide = ''] =
    /\*\*In another stage\*\*(.*?)\n## /s.exec(readFileSync('lib/DEPLOY.md', 'utf8')) ?? [];
  const allowed = [...guide.matchAll(/^- `\w+:(.*?)\son\s/gms)].flatMap(([, actions = '']) =>
    actions.replaceAll('`', '').split(/,\s+/),
  );
  expect(allowed.sort()).toEqual([...needed].sort());
});
