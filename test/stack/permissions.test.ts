import { globSync, readFileSync } from 'node:fs';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { tapOf } from '../../bin/smoke/event-tap.ts';
import type { Partition } from '../../functions/contract/access.ts';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { operationIds, operations } from '../../lib/openapi/operations.ts';
import { isDenied, list, matches, type Statement } from '../support/evaluate-policy.ts';
import {
  asText,
  calledId,
  functionsOf,
  mentioned,
  policiesOf,
  queuesOf,
  type Resource,
  resourceOf,
  resourcesOf,
  type SynthesizedTemplate,
} from '../support/read-template.ts';
import { production, templateOf, variants } from '../support/synthesize-stage.ts';

const roleOf = (template: SynthesizedTemplate, functionName: string): [string, Resource] => {
  const [, lambda] = functionsOf(template).get(functionName) ?? [];
  const [role = ''] = mentioned(lambda?.Properties.Role);
  return [role, template.Resources[role] as Resource];
};

const statementsOf = (template: SynthesizedTemplate, functionName: string): Statement[] =>
  policiesOf(template, functionName).flatMap(
    ([, { Properties }]) => Properties.PolicyDocument.Statement,
  );

/** An ARN of the stack's account and region. */
const arnHere = (service: string, resource: string) =>
  `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}`;

const stackArn = (stage: string, id: string) =>
  arnHere('cloudformation', `stack/WorkforcePayments-${stage}/${id}`);

const arnOf = (logicalId: string) => `\${${logicalId}.Arn}`;

/** Each action that statements allow, with its resources and conditions, in a line. */
const linesOf = (name: string, statements: readonly Statement[]): string[] =>
  statements.flatMap(({ Effect, Principal, Action, Resource, Condition = {} }) => {
    const conditions = Object.entries(Condition).flatMap(([operator, values]) =>
      Object.entries(values).map(
        ([key, value]) => ` if ${operator} ${key} ${list(value).map(asText).join(', ')}`,
      ),
    );
    const resources = list(Resource).map(asText).sort().join(', ');
    const by = Principal ? ` by ${JSON.stringify(Principal)}` : '';
    return list(Action).map(
      (action) => `${name}: ${Effect} ${action}${by} on ${resources}${conditions.sort().join('')}`,
    );
  });

/** Who may invoke which function, where that is called. */
const invocationsIn = (template: SynthesizedTemplate): string[] =>
  resourcesOf(template, 'AWS::Lambda::Permission').map(([, { Properties }]) => {
    const { FunctionName, Principal, SourceArn } = Properties;
    const [called] = mentioned(FunctionName);
    const name = functionsOf(template)
      .keys()
      .find((each) => calledId(template, each) === called);
    return `${name}: Invoked by ${Principal} for ${asText(SourceArn)}`;
  });

const partitionsIn = (condition: Statement['Condition']) =>
  list(condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] ?? []);
const attributesIn = (condition: Statement['Condition']) =>
  list(condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] ?? []);

/** The keys of the items in each partition that an endpoint writes. */
const patterns: Readonly<Partial<Record<Partition, string>>> = {
  paymentRequests: 'PAYMENT_REQUEST#*',
  offers: 'OFFER#*',
  workspaces: 'WORKSPACE#*',
  claims: 'CLAIM#*',
};

/** What is allowed on all resources: the Service Authorization Reference has no narrower one. */
const everywhere = [
  ...['xray:PutTelemetryRecords', 'xray:PutTraceSegments', 'dynamodb:ListStreams'],
  ...['logs:DescribeQueryDefinitions', 'logs:GetQueryResults', 'ses:GetAccount'],
  ...['cloudwatch:DescribeAlarmHistory', 'cloudwatch:DescribeAlarms', 'cloudwatch:GetMetricData'],
  'cloudwatch:ListDashboards',
];
/** What ends in a part that nobody chooses: an identity, the id of a stack, the time of a rule. */
const anyOf = ['ses:SendEmail', 'cloudformation:DescribeStacks', 'cloudwatch:GetInsightRuleReport'];

describe.each(variants)('in %s', async (_, context) => {
  const template = await templateOf(context);
  const { sender = 'offers@example.com', stage = 'dev' } = context;
  const functionNames = [...functionsOf(template).keys()];
  const operatorsPolicies = resourcesOf(template, 'AWS::IAM::ManagedPolicy');
  const operatorsMay: Statement[] = operatorsPolicies.flatMap(
    ([, { Properties }]) => Properties.PolicyDocument.Statement,
  );

  /** `npm test -- test/stack/permissions.test.ts -u` writes the snapshot. */
  test('functions and operators may do what was reviewed, whatever a stage sets', async () => {
    // That of the records, whose senders are settings, is below.
    const records = queuesOf(template, 'import-record').queue;
    const queuePolicies = resourcesOf(template, 'AWS::SQS::QueuePolicy')
      .map(([, { Properties }]) => Properties)
      .filter(({ Queues }) => !mentioned(Queues).includes(records));
    const lines = [
      ...functionNames.flatMap((name) => linesOf(name, statementsOf(template, name))),
      ...linesOf('operators', operatorsMay),
      ...invocationsIn(template),
      ...queuePolicies.flatMap(({ Queues, PolicyDocument }) =>
        linesOf(asText(Queues[0]), PolicyDocument.Statement),
      ),
    ];
    const hasFirewall = resourcesOf(template, 'AWS::WAFv2::WebACL').length > 0;
    const firewallLogs = /\$\{FirewallLogs\w+\.Arn\}, /g;
    const page = `${lines.sort().join('\n')}\n`;
    expect(page.match(firewallLogs) ?? []).toHaveLength(hasFirewall ? 1 : 0);
    const anyStage = page
      .replaceAll(firewallLogs, '')
      .replaceAll(`WorkforcePayments-${stage}`, 'WorkforcePayments-STAGE')
      .replaceAll(/(?<=ApiDeploymentStage)\w+/g, 'STAGE')
      .replaceAll(sender, 'SENDER');
    await expect(anyStage).toMatchFileSnapshot('permissions.txt');
  });

  test('no wildcard is allowed but the named', () => {
    const all = [...functionNames.flatMap((name) => statementsOf(template, name)), ...operatorsMay];
    for (const { Effect, Action, Resource } of all) {
      expect(Effect).toBe('Allow');
      for (const action of list(Action)) {
        expect(action).not.toContain('*');
        const patterns = list(Resource)
          .map(asText)
          .filter((arn) => arn.includes('*'));
        if (patterns.length === 0) continue;
        expect([...everywhere, ...anyOf]).toContain(action);
        const isEverything = patterns.some((arn) => /\*(?!$)|^\*$/.test(arn));
        expect([action, isEverything]).toEqual([action, everywhere.includes(action)]);
      }
    }
  });

  describe.each(functionNames)('%s', (functionName) => {
    test('writes known items of its own partitions, deletes claims alone, and rewrites no history', () => {
      for (const { Action, Condition } of statementsOf(template, functionName)) {
        for (const action of list(Action)) {
          if (!/^dynamodb:(?!Get|Query|Describe|List)/.test(action)) continue;
          expect(action).toMatch(/^dynamodb:(Put|ConditionCheck|Update|Delete)Item$/);
          const partitions = partitionsIn(Condition);
          expect(partitions).not.toEqual([]);
          for (const partition of partitions) expect(partition).toMatch(/^[A-Z_]+#/);
          if (action === 'dynamodb:DeleteItem') expect(partitions).toEqual(['CLAIM#*']);
          if (action !== 'dynamodb:UpdateItem') continue;
          const attributes = attributesIn(Condition);
          expect(attributes).toEqual(expect.arrayContaining(['pk', 'sk', 'status']));
          for (const one of ['author', 'revoked', 'approver', 'created', 'id', 'type']) {
            expect(attributes).not.toContain(one);
          }
        }
      }
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

  test.each(operationIds)('the function of %s uses the table as its contract says', (id) => {
    const { reads, creates = [], checks = [], updates, claims } = operations[id].access;
    const within = (names: readonly Partition[]) => names.map((name) => patterns[name]);
    const claimed = claims ? (['claims'] as const) : [];
    const writes = [
      ['PutItem', ...within([...creates, ...claimed])],
      ['ConditionCheckItem', ...within(checks)],
      [
        'UpdateItem',
        ...(updates ? [...within(updates.in), 'pk', 'sk', ...updates.attributes] : []),
      ],
      ['DeleteItem', ...within(claimed)],
    ].filter(({ length }) => length > 1);
    const allowed = statementsOf(template, routes[id].functionName).flatMap(
      ({ Action, Condition }) =>
        list(Action)
          .filter((action) => action.startsWith('dynamodb:'))
          .map((action) => [
            action.replace('dynamodb:', ''),
            ...partitionsIn(Condition),
            ...attributesIn(Condition),
          ]),
    );
    expect(allowed.sort()).toEqual([...reads.map((read) => [read]), ...writes].sort());
  });

  const [operatorsRole = ''] =
    resourcesOf(template, 'AWS::IAM::Role').find(([, { Properties }]) =>
      mentioned(Properties.ManagedPolicyArns).includes(operatorsPolicies[0]?.[0] ?? ''),
    ) ?? [];

  test('operators assume their role, whose ARNs a stage may name', () => {
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
    const may = (arn: string, isService: boolean) =>
      !isDenied(statements, 'sqs:SendMessage', arnOf(queue), {
        'aws:PrincipalArn': arn,
        'aws:PrincipalIsAWSService': String(isService),
      });
    for (const arn of [...senders.filter(isRole), arnOf(operatorsRole)]) {
      expect(may(arn, false), arn).toBe(true);
    }
    const [importer] = roleOf(template, 'import-record');
    for (const arn of [arnOf(importer), 'arn:aws:iam::123456789012:role/other']) {
      expect([may(arn, false), may(arn, true)]).toEqual([false, true]);
    }
    const allowed = statements.find(({ Effect }) => Effect === 'Allow');
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
  const text = outputFiles.map((file) => file.text).join('\n');
  const imports = /import \{([^}]*)\} from "@aws-sdk\/(client|lib)-([^"]*)"/g;
  return [...text.matchAll(imports)].flatMap(([, names = '', kind, service = '']) =>
    [...names.replaceAll(/ as \w+/g, '').matchAll(/\b(?:paginate(\w+)|(\w+)Command)\b/g)].map(
      ([, paged = '', sent = paged]) =>
        actionOf(service, kind === 'lib' ? ofDocumentClient(sent) : sent),
    ),
  );
};

const ofDocumentClient = (name: string) =>
  /^(Query|Scan)$/.test(name) ? name : `${name}Item${name.startsWith('Transact') ? 's' : ''}`;

/** The action that is called like a call of a service, or like one of its command. */
const actionOf = (service: string, name: string) =>
  `${{ eventbridge: 'events', sesv2: 'ses' }[service] ?? service}:${name.replace(/(?<=Message)Batch$/, '')}`;

/** What a call needs where that is not the action that is called like it. */
const otherActions: Readonly<Record<string, readonly string[]>> = {
  // "No permissions are required" (AWS STS API Reference).
  'sts:GetCallerIdentity': [],
  // Those of its parts (Amazon DynamoDB Developer Guide, "Using IAM with DynamoDB transactions").
  'dynamodb:TransactWriteItems': ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
  // It receives, deletes and sends with its caller's permissions (Amazon SQS API Reference).
  'sqs:StartMessageMoveTask': [
    ...['sqs:StartMessageMoveTask', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'],
    ...['sqs:GetQueueAttributes', 'sqs:SendMessage'],
  ],
};
const actionsFor = (calls: readonly string[]) => [
  ...new Set(calls.flatMap((call) => otherActions[call] ?? [call])),
];

/** A page without what it says of deployers, and the commands behind that. */
const ofOperators = (page: string): string => {
  const parts = page.split(/\n(?=\n|- |\d+\. )/);
  const isOfDeployers = (index: number) => /\bdeployer\b/.test(parts[index] ?? '');
  return parts
    .filter((part, index) => !isOfDeployers(part.trim().startsWith('```') ? index - 1 : index))
    .join('\n');
};

test('operators may make each call of a command, of the runbook and of the dashboard, and no other', async () => {
  // `aws configure` calls nothing.
  const ofRunbook = [
    ...ofOperators(readFileSync('lib/RUNBOOK.md', 'utf8')).matchAll(
      /\baws (?!configure )([a-z0-9]+) ([a-z-]+)/g,
    ),
  ].map(([, service = '', name = '']) =>
    actionOf(
      service,
      `-${name}`.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase()),
    ),
  );
  const ofDashboard = ['ListDashboards', 'GetDashboard', 'GetMetricData'].map(
    (name) => `cloudwatch:${name}`,
  );
  const calls = [...(await callsIn('bin/admin/program.ts')), ...ofRunbook, ...ofDashboard];
  const allowed = resourcesOf(await templateOf(production), 'AWS::IAM::ManagedPolicy').flatMap(
    ([, { Properties }]) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }: Statement) => list(Action)),
  );
  expect(actionsFor(calls).sort()).toEqual([...new Set(allowed)].sort());
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
  const made = actionsFor(await callsIn(...programs));
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
