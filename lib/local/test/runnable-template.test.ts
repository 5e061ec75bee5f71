import { SecretValue } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, LambdaSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { expect, test } from 'vitest';
import { runnableTemplate } from '../runnable-template.ts';
import { assemblyOf, functionOf, synthesize } from './small-assembly.ts';

test('says that topics, parameters and secrets of AWS are not here', () => {
  const template = runnableTemplate(
    synthesize((stack) => {
      const topic = new Topic(stack, 'News');
      new Topic(stack, 'Alarms').addSubscription(new EmailSubscription('ops@example.com'));
      const answer = functionOf(stack, 'Answer', 'export const handler = () => ({});', {
        TOPIC: topic.topicArn,
        SITE: StringParameter.valueForStringParameter(stack, '/site/name'),
        SECRET: SecretValue.ssmSecure('/site/secret').unsafeUnwrap(),
      });
      topic.addSubscription(new LambdaSubscription(answer));
    }),
  );
  expect(template.notHonoured()).toEqual([
    'the value of the SSM parameter /site/name, which is its name here',
    expect.stringMatching(/^\{\{resolve:ssm-secure:\/site\/secret\}\} of Answer\w+ \(/),
    '1 AWS::SNS::Topic',
    '1 AWS::SNS::Subscription',
  ]);
});

test('names everything in the template that cannot run, before anything starts', () => {
  const Code = { S3Bucket: 'assets', S3Key: 'gone.zip' };
  const resource = (Type: string, Properties: object) => ({ Type, Properties });
  const Resources = {
    Approve: resource('AWS::Lambda::Function', { Code, Handler: 'a.b', Runtime: 'python3.13' }),
    Lost: resource('AWS::Lambda::Function', { Code, Handler: 'a.b', Runtime: 'nodejs24.x' }),
    Inline: resource('AWS::Lambda::Function', {
      Code: { ZipFile: 'export const b = 1;' },
      Handler: 'a.b',
      Runtime: 'nodejs24.x',
      Environment: { Variables: { QUEUE: { Ref: 'Imported' } } },
    }),
    Table: resource('AWS::DynamoDB::Table', {
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      BillingMode: 'PROVISIONED',
    }),
    Imported: resource('AWS::SQS::Queue', { QueueName: { 'Fn::ImportValue': 'name' } }),
    Sender: resource('AWS::SES::EmailIdentity', { EmailIdentity: { Ref: 'Nobody' } }),
    Feed: resource('AWS::Lambda::EventSourceMapping', {
      EventSourceArn: 'arn:aws:kinesis:us-east-1:000000000000:stream/clicks',
      FunctionName: { Ref: 'Approve' },
    }),
    Tap: resource('AWS::Events::Rule', {
      EventPattern: {},
      Targets: [{ Id: 'a', Arn: 'arn:aws:sns:us-east-1:000000000000:news' }],
    }),
    Api: resource('AWS::ApiGateway::RestApi', {}),
    Other: resource('AWS::ApiGateway::RestApi', {}),
    Proxy: resource('AWS::ApiGateway::Method', {
      HttpMethod: 'GET',
      ResourceId: 'root',
      Integration: { Type: 'HTTP_PROXY' },
    }),
  };

  const directory = assemblyOf({ Resources });
  expect(() => runnableTemplate(directory)).toThrow(
    [
      'The template cannot run on this machine:',
      '  Imported: QueueName: Fn::ImportValue is not resolved by the local run.',
      '  Table: BillingMode must be PAY_PER_REQUEST, not PROVISIONED.',
      '  Sender: EmailIdentity: The template has no resource Nobody.',
      '  Tap: Targets.0.Arn must be the ARN of a queue or a function, not arn:aws:sns:us-east-1:000000000000:news.',
      '  Other: is a second AWS::ApiGateway::RestApi, beside Api; one can run.',
      '  Api: has no stage that can run.',
      '  Proxy: Integration.Type must be AWS_PROXY or MOCK, not HTTP_PROXY.',
      '  Approve: Runtime must start with nodejs, not python3.13.',
      `  Lost: No directory in ${directory} is uploaded as gone.zip.`,
      '  Inline: Code.S3Key must name an asset: inline code and images cannot run.',
      "  Feed: EventSourceArn must be the ARN of a queue or of a table's stream, not arn:aws:kinesis:us-east-1:000000000000:stream/clicks.",
    ].join('\n'),
  );
});
