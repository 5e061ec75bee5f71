import { describe, expect, test } from 'vitest';
import { developmentTemplate, functionsOf, resourcesOf } from '../support/synthesized.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

const template = developmentTemplate();

const list = <T>(value: T | T[]): T[] => (Array.isArray(value) ? value : [value]);

/** What the policies attached to a function's role allow it. */
const statementsOf = (functionName: string): Statement[] => {
  const [, lambda] = functionsOf(template).get(functionName) ?? [];
  const [role] = lambda?.Properties.Role['Fn::GetAtt'] ?? [];
  return resourcesOf(template, 'AWS::IAM::Policy')
    .filter(([, { Properties }]) =>
      Properties.Roles.some((each: { Ref: string }) => each.Ref === role),
    )
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement);
};

const actionsOf = (functionName: string) =>
  [...new Set(statementsOf(functionName).flatMap(({ Action }) => list(Action)))].sort();

const records = [
  'dynamodb:DeleteItem',
  'dynamodb:GetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
];
const queue = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:GetQueueUrl',
  'sqs:ReceiveMessage',
];
const allowed: Record<string, string[]> = {
  authorize: ['dynamodb:GetItem'],
  'approve-payment-request': [...records, 'dynamodb:Query'],
  'create-sandbox': records,
  'list-sandboxes': [
    'dynamodb:GetItem',
    'dynamodb:Query',
    'secretsmanager:DescribeSecret',
    'secretsmanager:GetSecretValue',
  ],
  'resend-offer': records,
  'relay-outbox': [
    'dynamodb:DescribeStream',
    'dynamodb:GetRecords',
    'dynamodb:GetShardIterator',
    'dynamodb:ListStreams',
    'sqs:GetQueueAttributes',
    'sqs:GetQueueUrl',
    'sqs:SendMessage',
  ],
  'provision-sandbox': ['dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem', ...queue],
  'deliver-offer': ['dynamodb:GetItem', 'dynamodb:UpdateItem', ...queue, 'ses:SendEmail'],
};

test('every function is in the list of what functions may do', () => {
  expect([...functionsOf(template).keys()].sort()).toEqual(Object.keys(allowed).sort());
});

describe.each(Object.entries(allowed))('%s', (functionName, actions) => {
  test('may do what it does and nothing else', () => {
    expect(actionsOf(functionName)).toEqual([...actions].sort());
  });

  test('may do nothing to just any resource', () => {
    for (const { Action, Resource } of statementsOf(functionName)) {
      // The streams of an account can only be listed all together (Service Authorization Reference).
      if (Action === 'dynamodb:ListStreams') continue;
      expect(list(Resource).map((each) => JSON.stringify(each))).not.toContainEqual(
        expect.stringMatching(/^"\*"$|[:/]\*/),
      );
    }
  });

  test('has a role of its own', () => {
    const roles = [...functionsOf(template).values()].map(([, { Properties }]) =>
      JSON.stringify(Properties.Role),
    );
    expect(new Set(roles).size).toBe(roles.length);
  });
});

test('mail is sent by one function and from one address', () => {
  const [mail, ...others] = statementsOf('deliver-offer').filter(({ Action }) =>
    list(Action).some((action) => action.startsWith('ses:')),
  );
  expect(others).toEqual([]);
  expect(mail?.Condition).toEqual({ StringEquals: { 'ses:FromAddress': 'offers@example.com' } });
  const identities = list(mail?.Resource).map((each) => JSON.stringify(each));
  expect(identities.sort()).toEqual([
    expect.stringContaining(':identity/example.com'),
    expect.stringContaining(':identity/offers@example.com'),
  ]);
});

test('no policy of the stack allows a family of actions', () => {
  const policies = [
    ...resourcesOf(template, 'AWS::IAM::Policy').map(
      ([, { Properties }]) => Properties.PolicyDocument,
    ),
    ...resourcesOf(template, 'AWS::IAM::Role').flatMap(([, { Properties }]) =>
      (Properties.Policies ?? []).map(
        ({ PolicyDocument }: { PolicyDocument: unknown }) => PolicyDocument,
      ),
    ),
  ];
  const actions = policies
    .flatMap(({ Statement }: { Statement: Statement[] }) => Statement)
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap(({ Action }) => list(Action));
  expect(actions.length).toBeGreaterThan(20);
  expect(actions.filter((action) => action.includes('*'))).toEqual([]);
});
