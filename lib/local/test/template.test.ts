// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { withoutEffect } from '../cloudformation/resource-shape.ts';
import { Template } from '../cloudformation/template.ts';
import { assemblyOf, functionOf, synthesize } from './small-assembly.ts';

const queue = { Type: 'AWS::SQS::Queue' };

const templateOf = (template: object): Template =>
  new Template(assemblyOf({ Resources: {}, ...template }));

describe('intrinsic functions', () => {
  const template = templateOf({
    Resources: {
      Jobs: queue,
      Table: { Type: 'AWS::DynamoDB::Table', Properties: { TableName: 'payments' } },
      Role: { Type: 'AWS::IAM::Role' },
      Firewall: { Type: 'AWS::WAFv2::WebACL' },
      Domain: {
        Type: 'AWS::ApiGateway::DomainName',
        Properties: { DomainName: 'api.example.com' },
      },
      Sender: {
        Type: 'AWS::SES::EmailIdentity',
        Properties: { EmailIdentity: 'pay.example.com' },
      },
    },
  });

  test.each([
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ Ref: 'AWS::AccountId' }, '000000000000'],
    [{ Ref: 'Table' }, 'payments'],
    [{ 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:000000000000:table/payments'],
    [{ 'Fn::GetAtt': ['Jobs', 'QueueName'] }, 'Small-Jobs'],
    [{ 'Fn::GetAtt': ['Role', 'Arn'] }, 'arn:aws:iam:us-east-1:000000000000:Small-Role'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }]] }, 'a-payments'],
    [
      { 'Fn::GetAtt': ['Firewall', 'Arn'] },
      'arn:aws:wafv2:us-east-1:000000000000:regional/webacl/Small-Firewall/Firewall',
    ],
    [{ Ref: 'Domain' }, 'api.example.com'],
    [{ 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] }, expect.stringMatching(/amazonaws\.com$/)],
    [{ Ref: 'Sender' }, 'pay.example.com'],
    [{ 'Fn::GetAtt': ['Sender', 'DkimDNSTokenName1'] }, 'token1._domainkey.pay.example.com'],
    [{ 'Fn::Sub': 'assets-${AWS::Region}/${Table}' }, 'assets-us-east-1/payments'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  ])('resolve %j', (value, expected) => {
    expect(template.resolve(value)).toEqual(expected);
  });

  test.each([
    [{ 'Fn::ImportValue': 'other' }, /Fn::ImportValue is not resolved/],
    [{ 'Fn::If': ['Large', 'yes', 'no'] }, /Fn::If is not resolved/],
    [{ 'Fn::FindInMap': ['Sizes', 'us-east-1', 'memory'] }, /Fn::FindInMap is not resolved/],
    [{ 'Fn::Sub': '${Jobs.Arn}' }, /no resource Jobs.Arn/],
    ['{{resolve:ssm:/site/name}}', /dynamic reference .*site\/name.* is not resolved/],
    [{ Ref: 'Missing' }, /no resource Missing/],
    [{ Ref: 'Jobs' }, /Jobs has no value/],
    [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, /Table.StreamArn has no value/],
  ])('refuse %j', (value, message) => {
    expect(() => template.resolve(value)).toThrow(message);
  });

  test('see what a runner supplies, and the addresses it rewrites', () => {
    const template = templateOf({ Resources: { Jobs: queue } });
    template.supply('Jobs', { ref: 'http://127.0.0.1:1/Jobs', attributes: { QueueUrl: 'url' } });
    template.rewrite('https://aws.example', 'http://127.0.0.1:2');

    expect(template.resolve({ Ref: 'Jobs' })).toBe('http://127.0.0.1:1/Jobs');
    expect(template.resolve({ 'Fn::GetAtt': ['Jobs', 'QueueUrl'] })).toBe('url');
    expect(template.resolve({ 'Fn::GetAtt': ['Jobs', 'QueueName'] })).toBe('Small-Jobs');
    expect(template.resolve({ 'Fn::Join': ['/', ['https://aws.example', 'v1']] })).toBe(
      'http://127.0.0.1:2/v1',
    );
  });
});

describe('resources', () => {
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
    const template = templateOf({
      Resources: {
        Jobs: {
          ...queue,
          Properties: { QueueName: { 'Fn::Sub': '${AWS::Region}Jobs' }, Tags: [{ Key: 'a' }] },
        },
        Role: { Type: 'AWS::IAM::Role' },
      },
    });

    expect(template.read(shape)).toEqual([
      {
        logicalId: 'Jobs',
        name: 'us-east-1Jobs',
        properties: { QueueName: 'us-east-1Jobs', VisibilityTimeout: 30 },
      },
    ]);
  });

  test('that cannot run are left out and refused, all of them at once and in words', () => {
    const template = templateOf({
      Parameters: { Stage: { Type: 'String', Default: 'dev' } },
      Resources: {
        Slow: { ...queue, Properties: { VisibilityTimeout: 'long', RedrivePolicy: {} } },
        Imported: { ...queue, Properties: { QueueName: { 'Fn::ImportValue': 'other' } } },
        Named: { ...queue, Properties: { QueueName: { Ref: 'Stage' } } },
        Fast: {
          ...queue,
          Properties: { FifoQueue: true, RedrivePolicy: { maxReceiveCount: 5, unknown: 1 } },
        },
        Sometimes: { ...queue, Condition: 'Large' },
        Jobs: queue,
        Watcher: { Type: 'Watcher', Properties: { Queue: { Ref: 'Slow' } } },
        Bucket: { Type: 'AWS::S3::Bucket' },
        Role: { Type: 'AWS::IAM::Role' },
      },
      Outputs: { Alone: { Value: { Ref: 'Missing' } } },
    });

    expect(template.read(shape).map(({ logicalId }) => logicalId)).toEqual(['Jobs']);
    // What refers to a refused resource is not at fault.
    template.read({ type: 'Watcher', schema: z.object({}) });
    template.outputs();
    template.refuseOtherTypes();
    expect(() => template.requireRunnable()).toThrow(
      [
        'The template cannot run on this machine:',
        "  Slow: VisibilityTimeout must be a number, not 'long'.",
        '  Slow: RedrivePolicy.maxReceiveCount is missing.',
        '  Imported: QueueName: Fn::ImportValue is not resolved by the local run.',
        '  Named: QueueName: The template has no resource Stage.',
        '  Fast: RedrivePolicy.unknown is not supported.',
        '  Fast: FifoQueue is not supported.',
        '  Sometimes: Condition is not supported.',
        '  Output Alone: The template has no resource Missing.',
        '  Bucket: AWS::S3::Bucket is not supported.',
      ].join('\n'),
    );
  });

  test.each([
    [z.literal('nodejs24.x'), 'python3.13', 'must be nodejs24.x, not python3.13'],
    [z.literal('PAY_PER_REQUEST'), 'PROVISIONED', 'must be PAY_PER_REQUEST, not PROVISIONED'],
    [z.enum(['TOKEN', 'REQUEST', 'JWT']), 7, 'must be TOKEN, REQUEST or JWT, not 7'],
    [z.record(z.string(), z.string()), [1], 'must be a map, not [ 1 ]'],
    [z.boolean(), 'yes', "must be true or false, not 'yes'"],
    [z.array(z.string()), { a: 1 }, 'must be a list, not { a: 1 }'],
    [z.coerce.number(), 'x', 'must be a number, not NaN'],
    [z.number(), '30', "must be a number, not '30'"],
    [z.string().regex(/^b/), 'a', 'must match /^b/, not a'],
  ])('say what %# must be', (schema, value, sentence) => {
    const template = templateOf({
      Resources: { Jobs: { ...queue, Properties: { Value: value } } },
    });
    template.read({ ...shape, schema: z.object({ Value: schema }) });
    expect(() => template.requireRunnable()).toThrow(`  Jobs: Value ${sentence}.`);
  });
});

test('gives the outputs', () => {
  const template = templateOf({ Outputs: { Region: { Value: { Ref: 'AWS::Region' } } } });
  expect(template.outputs()).toEqual({ Region: 'us-east-1' });
});

test("finds a function's code by the key it would be uploaded under", () => {
  const template = new Template(
    synthesize((stack) => functionOf(stack, 'Hello', 'export const handler = () => 1;')),
  );
  const [hello] = template.read({
    type: 'AWS::Lambda::Function',
    schema: z.object({ Code: z.object({ S3Key: z.string() }) }),
  });
  const key = hello?.properties.Code.S3Key ?? '';

  expect(template.assetDirectory(key)).toMatch(/asset\.[0-9a-f]{64}$/);
  expect(() => template.assetDirectory('other.zip')).toThrow(/other\.zip/);
});
