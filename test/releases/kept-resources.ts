import { isDeepStrictEqual } from 'node:util';
import type { Resource, SynthesizedTemplate } from '../support/read-template.ts';

/**
 * The resources that hold data, or whose address others know, and the properties that
 * CloudFormation replaces them for, or that change what they hold (AWS CloudFormation Template
 * Reference, "Update requires").
 */
const kept: Readonly<Record<string, readonly string[]>> = {
  'AWS::ApiGateway::RestApi': ['EndpointConfiguration'],
  // Its name is a part of the API's address.
  'AWS::ApiGateway::Stage': ['RestApiId', 'StageName'],
  'AWS::DynamoDB::Table': [
    'AttributeDefinitions',
    'DeletionProtectionEnabled',
    'KeySchema',
    'PointInTimeRecoverySpecification',
    'StreamSpecification',
    'TableName',
    'TimeToLiveSpecification',
  ],
  'AWS::Events::Archive': ['ArchiveName', 'EventPattern', 'RetentionDays', 'SourceArn'],
  'AWS::Events::EventBus': ['Name'],
  // A second mapping of the same source and function cannot be created beside the first.
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition'],
  // A change makes a new value, and no cursor is valid any more.
  'AWS::SecretsManager::Secret': ['GenerateSecretString', 'Name', 'SecretString'],
  'AWS::SES::ConfigurationSet': ['Name'],
  'AWS::SES::EmailIdentity': ['EmailIdentity'],
  // Another one would have to be confirmed again before an alarm arrives.
  'AWS::SNS::Subscription': ['Endpoint', 'Protocol', 'TopicArn'],
  'AWS::SNS::Topic': ['FifoTopic', 'TopicName'],
  'AWS::SQS::Queue': ['FifoQueue', 'MessageRetentionPeriod', 'QueueName'],
};

/** What a deployment of the second template would take from a stack of the first one. */
export const resourceBreaks = (
  { Resources: before }: Pick<SynthesizedTemplate, 'Resources'>,
  { Resources: after }: Pick<SynthesizedTemplate, 'Resources'>,
): string[] =>
  Object.entries(before)
    .filter(([, { Type }]) => Type in kept)
    .flatMap(([id, resource]) => breaksOf(id, resource, after[id]));

const breaksOf = (id: string, before: Resource, after: Resource | undefined): string[] => {
  const what = `${before.Type} ${id}`;
  if (after?.Type !== before.Type) return [`${what} is gone.`];
  const changed = (kept[before.Type] ?? []).filter(
    (name) => !isDeepStrictEqual(before.Properties?.[name], after.Properties?.[name]),
  );
  const unprotected = policies.filter(
    (policy) => before[policy] === 'Retain' && after[policy] !== 'Retain',
  );
  return [
    ...changed.map((name) => `${what} has another ${name}.`),
    ...unprotected.map((policy) => `${what} no longer has the ${policy} Retain.`),
  ];
};

const policies = ['DeletionPolicy', 'UpdateReplacePolicy'] as const;
