import { expect, test } from 'vitest';
import { readDefinition } from '../definition.ts';
import { tableShape } from '../dynamodb/tables.ts';
import { readerOf } from './small-assembly.ts';

const resource = (Type: string, Properties: object = {}) => ({ Type, Properties });

const rejections = (resources: object): string[] => {
  const reader = readerOf(resources);
  reader.read(tableShape);
  try {
    readDefinition(reader);
  } catch (error) {
    const [head, ...lines] = (error as Error).message.split('\n');
    expect(head).toBe('The template cannot run on this machine:');
    return lines.map((line) => line.trim());
  }
  return [];
};

const Code = { S3Bucket: 'assets', S3Key: 'gone.zip' };
const ofFunction = { Code, Handler: 'a.b', Runtime: 'nodejs24.x' };
const keys = {
  KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
};

const mock = {
  Type: 'MOCK',
  PassthroughBehavior: 'NEVER',
  RequestTemplates: { 'application/json': '{"statusCode": 405}' },
};
const answer = { StatusCode: '405', ResponseTemplates: { 'application/json': '' } };
const method = (Integration: object) => ({
  Method: resource('AWS::ApiGateway::Method', {
    HttpMethod: 'ANY',
    ResourceId: 'root',
    AuthorizationType: 'NONE',
    Integration,
  }),
});
const gatewayResponse = (template: string, header = "''") => ({
  NotFound: resource('AWS::ApiGateway::GatewayResponse', {
    ResponseType: 'DEFAULT_4XX',
    StatusCode: '404',
    ResponseParameters: { 'gatewayresponse.header.X-Echo': header },
    ResponseTemplates: { 'application/json': template },
  }),
});
const mapping = (properties: object) => ({
  Jobs: resource('AWS::SQS::Queue', { QueueName: 'jobs' }),
  Feed: resource('AWS::Lambda::EventSourceMapping', {
    FunctionName: 'jobs',
    BatchSize: 10,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:jobs',
    ...properties,
  }),
});
const stream = {
  EventSourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/0',
  StartingPosition: 'TRIM_HORIZON',
  BisectBatchOnFunctionError: true,
  MaximumRecordAgeInSeconds: 60,
  FilterCriteria: { Filters: [{ Pattern: '{}' }] },
  DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:us-east-1:000000000000:jobs' } },
};
const rule = (EventPattern: object, Arn = 'arn:aws:sqs:us-east-1:000000000000:jobs') => ({
  Jobs: resource('AWS::SQS::Queue', { QueueName: 'jobs' }),
  Tap: resource('AWS::Events::Rule', { EventPattern, Targets: [{ Id: 'a', Arn }] }),
});
const table = (properties: object) => ({
  Table: resource('AWS::DynamoDB::Table', {
    ...keys,
    BillingMode: 'PAY_PER_REQUEST',
    ...properties,
  }),
});
const secret = (options: object) => ({
  Key: resource('AWS::SecretsManager::Secret', { GenerateSecretString: options }),
});
const queue = (properties: object) => ({ Jobs: resource('AWS::SQS::Queue', properties) });
const lambda = (properties: object) => ({
  Save: resource('AWS::Lambda::Function', { ...ofFunction, ...properties }),
});

test.each<[string, object]>([
  ['a mock integration', method({ ...mock, IntegrationResponses: [answer] })],
  ['the mapping of a stream', mapping(stream)],
  ['tags', queue({ Tags: [{ Key: 'team', Value: 'pay' }] })],
  ['an alarm', { Alarm: resource('AWS::CloudWatch::Alarm', { Any: 1 }) }],
])('the engine takes %s', (_, resources) => {
  expect(rejections(resources)).toEqual([]);
});

test.each<[string, object, string]>([
  [
    'a second API',
    { Other: resource('AWS::ApiGateway::RestApi') },
    'AWS::ApiGateway::RestApi: there must be one, not 2.',
  ],
  [
    'another integration',
    method({ Type: 'HTTP_PROXY' }),
    'Method: Integration.Type must be AWS_PROXY or MOCK, not HTTP_PROXY.',
  ],
  ['inline code', lambda({ Code: { ZipFile: '' } }), 'Save: Code.ZipFile is not supported.'],
  [
    'another source',
    mapping({ EventSourceArn: 'arn:aws:kinesis:a:b:c' }),
    'Feed: EventSourceArn must be the ARN of a queue, not arn:aws:kinesis:a:b:c.',
  ],
  [
    'provisioned capacity',
    table({ BillingMode: 'PROVISIONED' }),
    'Table: BillingMode must be PAY_PER_REQUEST, not PROVISIONED.',
  ],
  [
    'another type',
    { Files: resource('AWS::S3::Bucket') },
    'Files: AWS::S3::Bucket is not supported.',
  ],
  [
    'an authorizer of requests',
    { Who: resource('AWS::ApiGateway::Authorizer', { Type: 'REQUEST' }) },
    'Who: Type must be TOKEN, not REQUEST.',
  ],
  [
    'binary media types',
    { Api: resource('AWS::ApiGateway::RestApi', { BinaryMediaTypes: ['image/png'] }) },
    'Api: BinaryMediaTypes is not supported.',
  ],
  [
    'a greedy path',
    {
      Rest: resource('AWS::ApiGateway::Resource', { ParentId: 'root', PathPart: '{rest+}' }),
    },
    'Rest: PathPart must match /^(?:[\\w-]+|\\{\\w+\\})$/, not {rest+}.',
  ],
  [
    'a selection pattern',
    method({ ...mock, IntegrationResponses: [{ ...answer, SelectionPattern: '4..' }] }),
    'Method: Integration.IntegrationResponses.0.SelectionPattern is not supported.',
  ],
  [
    'pass-through',
    method({ ...mock, PassthroughBehavior: 'WHEN_NO_MATCH', IntegrationResponses: [answer] }),
    'Method: Integration.PassthroughBehavior must be NEVER, not WHEN_NO_MATCH.',
  ],
  [
    'a query string in a mapping template',
    gatewayResponse('$method.request.querystring.id'),
    'NotFound: $method.request.querystring.id in a mapping template is not supported.',
  ],
  [
    'Velocity',
    gatewayResponse('#set($a = 1)'),
    'NotFound: #set in a mapping template is not supported.',
  ],
  [
    'a header that cannot be sent',
    gatewayResponse('', "'a\nb'"),
    'NotFound: Invalid character in header content ["X-Echo"].',
  ],
  [
    'an error without an answer',
    { THROTTLED: resource('AWS::SNS::Topic') },
    'AWS::ApiGateway::GatewayResponse: there must be one for THROTTLED.',
  ],
  [
    'stage variables',
    { Stage: resource('AWS::ApiGateway::Stage', { StageName: 'dev', Variables: {} }) },
    'Stage: Variables is not supported.',
  ],
  [
    'the throttle of one method',
    {
      Stage: resource('AWS::ApiGateway::Stage', {
        StageName: 'dev',
        MethodSettings: [
          {
            HttpMethod: 'GET',
            ResourcePath: '/*',
            ThrottlingRateLimit: 1,
            ThrottlingBurstLimit: 1,
          },
        ],
      }),
    },
    'Stage: MethodSettings.0.HttpMethod must be *, not GET.',
  ],
  [
    'a rule that invokes a function',
    rule({}, 'arn:aws:lambda:us-east-1:000000000000:function:save'),
    'Tap: Targets.0.Arn must be the ARN of a queue, not arn:aws:lambda:us-east-1:000000000000:function:save.',
  ],
  [
    'a prefix',
    rule({ a: [{ prefix: 'x' }] }),
    "Tap: The local run does not support a pattern with 'prefix' at '/a'.",
  ],
  ['a layer', lambda({ Layers: [] }), 'Save: Layers is not supported.'],
  [
    'an older runtime',
    lambda({ Runtime: 'nodejs22.x' }),
    'Save: Runtime must be nodejs24.x, not nodejs22.x.',
  ],
  [
    'a batching window',
    mapping({ MaximumBatchingWindowInSeconds: 5 }),
    'Feed: MaximumBatchingWindowInSeconds is not supported.',
  ],
  [
    'filters of a queue',
    mapping({ FilterCriteria: { Filters: [] } }),
    'Feed: FilterCriteria is not supported.',
  ],
  [
    'a maximum of retries',
    mapping({ ...stream, MaximumRetryAttempts: 3 }),
    'Feed: MaximumRetryAttempts is not supported.',
  ],
  [
    'the latest records',
    mapping({ ...stream, StartingPosition: 'LATEST' }),
    'Feed: StartingPosition must be TRIM_HORIZON, not LATEST.',
  ],
  ['a delay', queue({ DelaySeconds: 5 }), 'Jobs: DelaySeconds is not supported.'],
  [
    'an index',
    table({ GlobalSecondaryIndexes: [] }),
    'Table: GlobalSecondaryIndexes is not supported.',
  ],
  [
    'another option of a secret',
    secret({ ExcludeLowercase: true }),
    'Key: GenerateSecretString.ExcludeLowercase is not supported.',
  ],
  [
    'a map',
    queue({ VisibilityTimeout: { 'Fn::FindInMap': ['a', 'b', 'c'] } }),
    'Jobs: VisibilityTimeout: Fn::FindInMap is not resolved by the local run.',
  ],
  [
    'a condition',
    queue({ VisibilityTimeout: { 'Fn::If': ['a', 1, 2] } }),
    'Jobs: VisibilityTimeout: Fn::If is not resolved by the local run.',
  ],
  [
    'a dynamic reference',
    queue({ QueueName: '{{resolve:ssm:/name}}' }),
    'Jobs: QueueName: the dynamic reference {{resolve:ssm:/name}} is not resolved by the local run.',
  ],
])('the engine rejects %s by name', (_, resources, line) => {
  expect(rejections(resources)).toContain(line);
});
