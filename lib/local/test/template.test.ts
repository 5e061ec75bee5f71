// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withoutEffect } from '../cloudformation/resource-shape.ts';
import { readFunctionSettings } from '../lambda/functions.ts';
import { functionOf, readerIn, readerOf, synthesize } from './small-assembly.ts';

const queue = { Type: 'AWS::SQS::Queue' };

describe('intrinsic functions', () => {
  const resource = (Type: string, Properties: object) => ({ Type, Properties });
  const reader = readerOf({
    Jobs: queue,
    Table: resource('AWS::DynamoDB::Table', { TableName: 'payments' }),
    Role: { Type: 'AWS::IAM::Role' },
    Save: { Type: 'AWS::Lambda::Function' },
    Second: resource('AWS::Lambda::Version', { FunctionName: { Ref: 'Save' } }),
    Live: resource('AWS::Lambda::Alias', { FunctionName: { Ref: 'Save' }, Name: 'live' }),
    Domain: resource('AWS::ApiGateway::DomainName', { DomainName: 'api.example.com' }),
    Sender: resource('AWS::SES::EmailIdentity', { EmailIdentity: 'pay.example.com' }),
  });

  test.each([
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ Ref: 'AWS::AccountId' }, '000000000000'],
    [{ Ref: 'Table' }, 'payments'],
    [{ 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:000000000000:table/payments'],
    [{ 'Fn::GetAtt': ['Jobs', 'QueueName'] }, 'Small-Jobs'],
    [{ 'Fn::GetAtt': ['Role', 'Arn'] }, 'arn:aws:iam:us-east-1:000000000000:Small-Role'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }]] }, 'a-payments'],
    [{ Ref: 'Jobs' }, 'http://sqs/000000000000/Small-Jobs'],
    [{ Ref: 'Second' }, 'arn:aws:lambda:us-east-1:000000000000:function:Small-Save:1'],
    [{ Ref: 'Live' }, 'arn:aws:lambda:us-east-1:000000000000:function:Small-Save:live'],
    [{ Ref: 'Domain' }, 'api.example.com'],
    [{ 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] }, expect.stringMatching(/amazonaws\.com$/)],
    [{ Ref: 'Sender' }, 'pay.example.com'],
    [{ 'Fn::GetAtt': ['Sender', 'DkimDNSTokenName1'] }, 'token1._domainkey.pay.example.com'],
    [{ 'Fn::Sub': 'assets-${AWS::Region}/${Table}' }, 'assets-us-east-1/payments'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  ])('resolve %j', (value, expected) => {
    expect(reader.resolve(value)).toEqual(expected);
  });

  test.each([
    [{ 'Fn::ImportValue': 'other' }, /Fn::ImportValue is not resolved/],
    [{ 'Fn::Sub': '${Jobs.Arn}' }, /no resource Jobs.Arn/],
    ['{{resolve:ssm:/site/name}}', /dynamic reference .*site\/name.* is not resolved/],
    [{ Ref: 'Missing' }, /no resource Missing/],
    [{ 'Fn::GetAtt': ['Table', 'Size'] }, /Table.Size has no value/],
  ])('refuse %j', (value, message) => {
    expect(() => reader.resolve(value)).toThrow(message);
  });
});

describe('the resources of a template', () => {
  const shape = {
    type: 'AWS::SQS::Queue',
    schema: z.strictObject({
      QueueName: z.string().optional(),
      VisibilityTimeout: z.number().default(30),
      RedrivePolicy: z.strictObject({ maxReceiveCount: z.number() }).optional(),
      KmsMasterKeyId: withoutEffect,
    }),
  };

  test('are those of the type, with resolved properties and defaults', () => {
    const RedrivePolicy = { maxReceiveCount: { 'Fn::Select': [0, [5]] } };
    const reader = readerOf({
      Jobs: { ...queue, Properties: { QueueName: 'jobs', RedrivePolicy, Tags: [{ Key: 'a' }] } },
      Role: { Type: 'AWS::IAM::Role' },
    });

    const properties = { VisibilityTimeout: 30, RedrivePolicy: { maxReceiveCount: 5 } };
    expect(reader.read(shape)).toEqual([
      { logicalId: 'Jobs', name: 'jobs', properties: { QueueName: 'jobs', ...properties } },
    ]);
  });

  test('that cannot run are left out and rejected, all of them at once and in words', () => {
    const reader = readerOf(
      {
        Slow: { ...queue, Properties: { VisibilityTimeout: 'long', RedrivePolicy: {} } },
        Imported: { ...queue, Properties: { QueueName: { 'Fn::ImportValue': 'other' } } },
        Named: { ...queue, Properties: { QueueName: { Ref: 'Role' } } },
        Fast: {
          ...queue,
          Properties: { FifoQueue: true, RedrivePolicy: { maxReceiveCount: 5, unknown: 1 } },
        },
        Sometimes: { ...queue, Condition: 'Large' },
        Jobs: queue,
        Watcher: { Type: 'Watcher', Properties: { Queues: [{ Ref: 'Slow' }, { Ref: 'Named' }] } },
        Bucket: { Type: 'AWS::S3::Bucket' },
        Role: { Type: 'AWS::IAM::Role' },
      },
      { Outputs: { Alone: { Value: { Ref: 'Missing' } } } },
    );

    expect(reader.read(shape).map(({ logicalId }) => logicalId)).toEqual(['Jobs']);
    // What refers to a rejected resource is not at fault.
    for (const name of ['GatewayResponse', 'RestApi', 'Stage']) {
      reader.read({ type: `AWS::ApiGateway::${name}`, schema: z.object({}) });
    }
    reader.read({ type: 'Watcher', schema: z.object({}) });
    reader.outputs();
    reader.rejectOtherTypes();
    expect(() => reader.requireRunnable()).toThrow(
      [
        'The template cannot run on this machine:',
        "  Slow: VisibilityTimeout must be a number, not 'long'.",
        '  Slow: RedrivePolicy.maxReceiveCount is missing.',
        '  Imported: QueueName: Fn::ImportValue is not resolved by the local run.',
        '  Named: Its name must be plain text.',
        '  Fast: RedrivePolicy.unknown is not supported.',
        '  Fast: FifoQueue is not supported.',
        '  Sometimes: Condition is not supported.',
        '  Output Alone: The template has no resource Missing.',
        '  Bucket: AWS::S3::Bucket is not supported.',
      ].join('\n'),
    );
  });

  test.each([
    ['must be nodejs24.x, not python3.13', z.literal('nodejs24.x'), 'python3.13'],
    ['must be PAY_PER_REQUEST, not PROVISIONED', z.literal('PAY_PER_REQUEST'), 'PROVISIONED'],
    ['must be TOKEN, REQUEST or JWT, not 7', z.enum(['TOKEN', 'REQUEST', 'JWT']), 7],
    ['must be a map, not [ 1 ]', z.record(z.string(), z.string()), [1]],
    ["must be true or false, not 'yes'", z.boolean(), 'yes'],
    ['must be a list, not { a: 1 }', z.array(z.string()), { a: 1 }],
    ['must be a number, not NaN', z.coerce.number(), 'x'],
    ["must be a number, not '30'", z.number(), '30'],
    ['must match /^b/, not a', z.string().regex(/^b/), 'a'],
  ])('say what a property must be: it %s', (sentence, schema, value) => {
    const reader = readerOf({ Jobs: { ...queue, Properties: { Value: value } } });
    reader.read({ ...shape, schema: z.object({ Value: schema }) });
    expect(() => reader.requireRunnable()).toThrow(`  Jobs: Value ${sentence}.`);
  });
});

test('a template gives the outputs', () => {
  const reader = readerOf({}, { Outputs: { Region: { Value: { Ref: 'AWS::Region' } } } });
  expect(reader.outputs()).toEqual({ Region: 'us-east-1' });
});

test("a template finds a function's code by the key it would be uploaded under", () => {
  const reader = readerIn(
    synthesize((stack) => functionOf(stack, 'Hello', 'export const handler = () => 1;')),
  );
  const [settings] = readFunctionSettings(reader).values();

  expect(settings?.codeDirectory).toMatch(/asset\.[0-9a-f]{64}$/);
  expect(() => reader.template.assetDirectory('other.zip')).toThrow(/other\.zip/);
});
