// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of Fn::Sub.
import { expect, test } from 'vitest';
import { readDefinition } from '../definition.ts';
import { readFunctionSettings } from '../lambda/lambda-function.ts';
import { arnOf, resource, routeOf, templateOf } from './small-assembly.ts';

const queue = (properties?: object) => ({ Jobs: resource('AWS::SQS::Queue', properties) });

const template = templateOf({
  ...queue(),
  Table: resource('AWS::DynamoDB::Table', { TableName: 'payments' }),
  Bus: resource('AWS::Events::EventBus', { Name: 'events' }),
  Role: resource('AWS::IAM::Role'),
  Save: resource('AWS::Lambda::Function'),
  Live: resource('AWS::Lambda::Alias', { FunctionName: { Ref: 'Save' }, Name: 'live' }),
  Domain: resource('AWS::ApiGateway::DomainName', { DomainName: 'api.example.com' }),
});

test.each([
  [{ Ref: 'Table' }, 'payments'],
  [{ Ref: 'Jobs' }, 'http://sqs/000000000000/Small-Jobs'],
  [{ Ref: 'Live' }, 'arn:aws:lambda:us-east-1:000000000000:function:Small-Save:live'],
  [arnOf('Table'), 'arn:aws:dynamodb:us-east-1:000000000000:table/payments'],
  [arnOf('Bus'), 'arn:aws:events:us-east-1:000000000000:event-bus/events'],
  [{ 'Fn::GetAtt': ['Domain', 'RegionalDomainName'] }, expect.any(String)],
  [{ 'Fn::Join': ['-', ['a', { Ref: 'Table' }]] }, 'a-payments'],
  [{ 'Fn::Sub': 'assets-${AWS::Region}/${Table}' }, 'assets-us-east-1/payments'],
  [{ 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  [[{ deep: { Ref: 'Table' } }], [{ deep: 'payments' }]],
])('a template resolves %j', (value, expected) => {
  expect(template.resolve(value)).toEqual(expected);
});

test.each([
  [{ 'Fn::Sub': '${Jobs.Arn}' }, /no resource Jobs.Arn/],
  ['{{resolve:ssm:/site/name}}', /dynamic reference .*site\/name.* is not resolved/],
])('a template refuses %j', (value, message) => {
  expect(() => template.resolve(value)).toThrow(message);
});

test('a template has defaults for a function, whose code lies under the key of its upload', () => {
  const withCode = templateOf({}, { Hello: 'export const handler = () => 1;' });
  const settings = { name: 'Small-Hello', timeoutMs: 30_000, memoryMb: 128, environment: {} };
  expect(readFunctionSettings(withCode).get('Hello')).toMatchObject(settings);
  expect(() => withCode.assetDirectory('other.zip')).toThrow(/other\.zip/);
});

const mock = (route: string, IntegrationResponse: object) =>
  routeOf(route, {
    Type: 'MOCK',
    RequestTemplates: {},
    IntegrationResponses: [{ StatusCode: '405', ...IntegrationResponse }],
  });
const rule = (EventPattern: object, ...Targets: object[]) =>
  resource('AWS::Events::Rule', { EventPattern, Targets });
const ResponseTemplates = { 'application/json': '$context.requestId' };

test('a template that can run has nothing to reject', () => {
  const resources = {
    ...queue({ Tags: [{ Key: 'team', Value: 'pay' }] }),
    ...mock('ANY ', { ResponseTemplates }),
    Tap: rule({ source: ['shop'] }),
    Alarm: resource('AWS::CloudWatch::Alarm', { Any: 1 }),
    Archive: resource('AWS::Events::Archive', { EventPattern: { a: [{ prefix: 'b' }] } }),
  };
  expect(() => readDefinition(templateOf(resources))).not.toThrow();
});

test('everything in a template that cannot run is rejected at once, by name', () => {
  const ResponseParameters = { 'method.response.header.Allow': 'context.path' };
  const resources = {
    ...queue({ DelaySeconds: 5, VisibilityTimeout: { 'Fn::If': ['a', 1, 2] } }),
    Imported: resource('AWS::SQS::Queue', { VisibilityTimeout: { 'Fn::ImportValue': 'other' } }),
    Sometimes: { ...resource('AWS::SQS::Queue'), Condition: 'Large' },
    Tap: rule({ a: [{ prefix: 'x' }] }),
    Part: rule({}, { Id: '1', InputPath: '$.detail' }),
    ...routeOf('GET proxy', { Type: 'HTTP_PROXY' }),
    ...routeOf('GET iam', {}, { AuthorizationType: 'AWS_IAM' }),
    ...mock('ANY mock', { ResponseParameters, ResponseTemplates }),
    Who: resource('AWS::ApiGateway::Authorizer', { Type: 'REQUEST' }),
    UNAUTHORIZED: resource('AWS::SNS::Topic'),
    Save: resource('AWS::Lambda::Function', { Runtime: 'nodejs22.x' }),
    Bucket: resource('AWS::S3::Bucket'),
  };
  const sentences = [
    'The template cannot run on this machine:',
    'Jobs: DelaySeconds is not supported here.',
    'Imported: Fn::ImportValue is not resolved by the local run.',
    'Sometimes: Condition is not supported.',
    "Tap: The local run does not support a pattern with 'prefix' at '/a'.",
    'Part: InputPath is not supported here.',
    'PathproxyMethod: Integration.Type must be AWS_PROXY or MOCK.',
    'PathiamMethod: AuthorizationType AWS_IAM is not supported.',
    'PathmockMethod: $context.path has more than $context.requestId.',
    'Who: Type must be TOKEN here, not REQUEST.',
    'AWS::ApiGateway::GatewayResponse: there must be one for UNAUTHORIZED.',
    'Save: Runtime must be nodejs24.x here, not nodejs22.x.',
    'Output Alone: The template has no resource Missing.',
    'Bucket: AWS::S3::Bucket is not supported.',
  ];
  const cannotRun = templateOf(resources, {}, { Alone: { Ref: 'Missing' } });
  expect(() => readDefinition(cannotRun)).toThrow(new Error(sentences.join('\n  ')));
});
