// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Template } from '../template/template.ts';
import { assemblyOf, functionOf, synthesize } from './small-assembly.ts';

const queue = { Type: 'AWS::SQS::Queue' };

const templateOf = (template: object): Template =>
  new Template(assemblyOf({ Resources: {}, ...template }));

describe('intrinsic functions', () => {
  const template = templateOf({
    Parameters: { Size: { Type: 'String', Default: 'large' } },
    Mappings: { Sizes: { 'us-east-1': { memory: 512 } } },
    Conditions: {
      Large: { 'Fn::Equals': [{ Ref: 'Size' }, 'large'] },
      Small: { 'Fn::Not': [{ Condition: 'Large' }] },
      Both: { 'Fn::And': [{ Condition: 'Large' }, { Condition: 'Small' }] },
      Either: { 'Fn::Or': [{ Condition: 'Large' }, { Condition: 'Small' }] },
    },
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
    [{ Ref: 'AWS::StackName' }, 'Small'],
    [{ Ref: 'Size' }, 'large'],
    [{ Ref: 'Table' }, 'payments'],
    [{ 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:aws:dynamodb:us-east-1:000000000000:table/payments'],
    [{ 'Fn::GetAtt': 'Jobs.QueueName' }, 'Small-Jobs'],
    [{ 'Fn::GetAtt': ['Role', 'Arn'] }, 'arn:aws:iam:us-east-1:000000000000:Small-Role'],
    [{ 'Fn::Join': ['-', ['a', { Ref: 'Size' }]] }, 'a-large'],
    [
      { 'Fn::GetAtt': ['Firewall', 'Arn'] },
      'arn:aws:wafv2:us-east-1:000000000000:regional/webacl/Small-Firewall/Firewall',
    ],
    [{ Ref: 'Domain' }, 'api.example.com'],
    [{ 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] }, expect.stringMatching(/amazonaws\.com$/)],
    [{ Ref: 'Sender' }, 'pay.example.com'],
    [{ 'Fn::GetAtt': ['Sender', 'DkimDNSTokenName1'] }, 'token1._domainkey.pay.example.com'],
    [
      { 'Fn::Sub': '${AWS::Region}/${Table}/${Jobs.Arn}/${!Kept}' },
      expect.stringMatching(/^us-east-1\/payments\/arn:aws:sqs:.*:Small-Jobs\/\$\{Kept\}$/),
    ],
    [{ 'Fn::Sub': ['${Own}', { Own: { Ref: 'Size' } }] }, 'large'],
    [{ 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
    [{ 'Fn::FindInMap': ['Sizes', { Ref: 'AWS::Region' }, 'memory'] }, 512],
    [{ 'Fn::If': ['Large', 'yes', 'no'] }, 'yes'],
    [{ 'Fn::If': ['Small', 'yes', 'no'] }, 'no'],
    [{ 'Fn::If': ['Both', 'yes', 'no'] }, 'no'],
    [{ 'Fn::If': ['Either', 'yes', 'no'] }, 'yes'],
    [{ kept: 1, gone: { Ref: 'AWS::NoValue' } }, { kept: 1 }],
    [[1, { Ref: 'AWS::NoValue' }], [1]],
  ])('resolve %j', (value, expected) => {
    expect(template.resolve(value)).toEqual(expected);
  });

  test.each([
    [{ 'Fn::ImportValue': 'other' }, /Fn::ImportValue is not resolved/],
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
    honoured: z.object({
      QueueName: z.string().optional(),
      VisibilityTimeout: z.number().default(30),
      RedrivePolicy: z.object({ maxReceiveCount: z.number() }).optional(),
    }),
    withoutEffect: ['Tags', 'RedrivePolicy.arn'],
  };

  test('are those of the type whose condition holds, with resolved properties and defaults', () => {
    const template = templateOf({
      Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
      Resources: {
        Jobs: { ...queue, Properties: { QueueName: { 'Fn::Sub': '${AWS::StackName}Jobs' } } },
        Skipped: { ...queue, Condition: 'Never' },
        Role: { Type: 'AWS::IAM::Role' },
      },
    });

    expect(template.read(shape)).toEqual([
      {
        logicalId: 'Jobs',
        name: 'SmallJobs',
        properties: { QueueName: 'SmallJobs', VisibilityTimeout: 30 },
      },
    ]);
  });

  test('report what is set and not honoured, and each type that was not read', () => {
    const template = templateOf({
      Resources: {
        Jobs: {
          ...queue,
          Properties: {
            FifoQueue: true,
            Tags: [{ Key: 'a', Value: { Ref: 'Elsewhere' } }],
            RedrivePolicy: { maxReceiveCount: 5, arn: 'x', unknown: 1 },
          },
        },
        BucketA: { Type: 'AWS::S3::Bucket' },
        BucketB: { Type: 'AWS::S3::Bucket' },
        Role: { Type: 'AWS::IAM::Role' },
        Alarm: { Type: 'AWS::CloudWatch::Alarm' },
      },
    });
    template.read(shape);

    expect(template.notHonoured()).toEqual([
      'FifoQueue of Jobs (AWS::SQS::Queue)',
      'RedrivePolicy.unknown of Jobs (AWS::SQS::Queue)',
      '2 AWS::S3::Bucket',
    ]);
  });

  test('that cannot run are left out and refused, all of them at once and in words', () => {
    const template = templateOf({
      Parameters: { Stage: { Type: 'String' } },
      Resources: {
        Slow: { ...queue, Properties: { VisibilityTimeout: 'long', RedrivePolicy: {} } },
        Imported: { ...queue, Properties: { QueueName: { 'Fn::ImportValue': 'other' } } },
        Named: { ...queue, Properties: { QueueName: { Ref: 'Stage' } } },
        Jobs: queue,
        Watcher: { Type: 'Watcher', Properties: { Queue: { Ref: 'Slow' } } },
      },
      Outputs: { Alone: { Value: { Ref: 'Missing' } } },
    });

    expect(template.read(shape).map(({ logicalId }) => logicalId)).toEqual(['Jobs']);
    // What refers to a refused resource is not at fault.
    template.read({ type: 'Watcher', honoured: z.object({}), withoutEffect: [] });
    template.outputs();
    expect(() => template.requireRunnable()).toThrow(
      [
        'The template cannot run on this machine:',
        "  Slow: VisibilityTimeout must be a number, not 'long'.",
        '  Slow: RedrivePolicy.maxReceiveCount is missing.',
        '  Imported: QueueName: Fn::ImportValue is not resolved by the local run.',
        '  Named: QueueName: The parameter Stage has no default value.',
        '  Output Alone: The template has no resource Missing.',
      ].join('\n'),
    );
  });

  test.each([
    [z.string().startsWith('nodejs'), 'python3.13', 'must start with nodejs, not python3.13'],
    [z.literal('PAY_PER_REQUEST'), 'PROVISIONED', 'must be PAY_PER_REQUEST, not PROVISIONED'],
    [z.enum(['TOKEN', 'REQUEST', 'JWT']), 7, 'must be TOKEN, REQUEST or JWT, not 7'],
    [z.record(z.string(), z.string()), [1], 'must be a map, not [ 1 ]'],
    [z.boolean(), 'yes', "must be true or false, not 'yes'"],
    [z.array(z.string()), { a: 1 }, 'must be a list, not { a: 1 }'],
    [z.coerce.number(), 'x', 'must be a number, not NaN'],
    [z.number(), '30', "must be a number, not '30'"],
    [z.string().regex(/^b/), 'a', 'must match /^b/, not a'],
  ])('say what %# must be', (honoured, value, sentence) => {
    const template = templateOf({
      Resources: { Jobs: { ...queue, Properties: { Value: value } } },
    });
    template.read({ ...shape, honoured: z.object({ Value: honoured }) });
    expect(() => template.requireRunnable()).toThrow(`  Jobs: Value ${sentence}.`);
  });
});

test('gives the outputs', () => {
  const template = templateOf({
    Conditions: { Never: { 'Fn::Equals': ['a', 'b'] } },
    Outputs: {
      Region: { Value: { Ref: 'AWS::Region' } },
      Skipped: { Value: 1, Condition: 'Never' },
    },
  });
  expect(template.outputs()).toEqual({ Region: 'us-east-1' });
});

test("finds a function's code by the key it would be uploaded under", () => {
  const template = new Template(
    synthesize((stack) => functionOf(stack, 'Hello', 'export const handler = () => 1;')),
  );
  const [hello] = template.read({
    type: 'AWS::Lambda::Function',
    honoured: z.object({ Code: z.object({ S3Key: z.string() }) }),
    withoutEffect: [],
  });
  const key = hello?.properties.Code.S3Key ?? '';

  expect(template.assetDirectory(key)).toMatch(/asset\.[0-9a-f]{64}$/);
  expect(() => template.assetDirectory('other.zip')).toThrow(/other\.zip/);
});
