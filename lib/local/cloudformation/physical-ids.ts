import { arn, region } from '../aws-account.ts';

/** What `Ref` and `Fn::GetAtt` return for one resource. */
export interface PhysicalId {
  readonly ref?: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The property by which a template can name a resource itself. */
const nameProperties: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::DomainName': 'DomainName',
  'AWS::ApiGateway::Stage': 'StageName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::Archive': 'ArchiveName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Events::Rule': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::SES::ConfigurationSet': 'Name',
  'AWS::SES::EmailIdentity': 'EmailIdentity',
  'AWS::SecretsManager::Secret': 'Name',
  'AWS::SQS::Queue': 'QueueName',
};

/**
 * By type, the identity that a name gives. From "Return values" on each type's page of the
 * CloudFormation reference. What only a running service can supply is left out here and supplied
 * later: a queue's URL, a table's stream.
 */
const identities: Readonly<Record<string, (name: string, logicalId: string) => PhysicalId>> = {
  'AWS::ApiGateway::Authorizer': (_, logicalId) => ({ ref: logicalId, attributes: {} }),
  'AWS::ApiGateway::DomainName': (name) => ({
    ref: name,
    // Where the name's DNS record would point to; what every regional domain's looks like.
    attributes: { RegionalDomainName: `d-0000000000.execute-api.${region}.amazonaws.com` },
  }),
  'AWS::ApiGateway::Resource': (_, logicalId) => ({ ref: logicalId, attributes: {} }),
  // An id of letters and digits, because it becomes part of a host name.
  'AWS::ApiGateway::RestApi': (_, logicalId) => ({
    ref: logicalId.toLowerCase(),
    attributes: { RootResourceId: `${logicalId}Root` },
  }),
  'AWS::DynamoDB::Table': (name) => ({
    ref: name,
    attributes: { Arn: arn('dynamodb', `table/${name}`) },
  }),
  'AWS::Events::Archive': (name) => ({
    ref: name,
    attributes: { Arn: arn('events', `archive/${name}`) },
  }),
  'AWS::Events::EventBus': (name) => ({
    ref: name,
    attributes: { Arn: arn('events', `event-bus/${name}`), Name: name },
  }),
  'AWS::Lambda::Function': (name) => ({
    ref: name,
    attributes: { Arn: functionArn(name) },
  }),
  // The three DNS records that verify a domain; an address has none, and no template reads them.
  'AWS::SES::EmailIdentity': (name) => ({
    ref: name,
    attributes: Object.fromEntries(
      [1, 2, 3].flatMap((index) => [
        [`DkimDNSTokenName${index}`, `token${index}._domainkey.${name}`],
        [`DkimDNSTokenValue${index}`, `token${index}.dkim.amazonses.com`],
      ]),
    ),
  }),
  // Secrets Manager ends every ARN with six characters of its own.
  'AWS::SecretsManager::Secret': (name) => ({
    ref: arn('secretsmanager', `secret:${name}-000000`),
    attributes: {},
  }),
  'AWS::SQS::Queue': (name) => ({ attributes: { Arn: arn('sqs', name), QueueName: name } }),
  'AWS::WAFv2::WebACL': (name, logicalId) => ({
    ref: `${name}|${logicalId}|REGIONAL`,
    attributes: { Arn: arn('wafv2', `regional/webacl/${name}/${logicalId}`) },
  }),
};

/** The property by which a template names a resource of this type, if it can. */
export const nameProperty = (type: string): string | undefined => nameProperties[type];

/**
 * The identity of a resource named `name`. A type that is not run here still gets one, because
 * functions and outputs may mention it: its name, and an ARN of the usual form.
 */
export const physicalId = (type: string, name: string, logicalId: string): PhysicalId => {
  const identify = identities[type];
  if (identify !== undefined) return identify(name, logicalId);
  const service = type.split('::')[1]?.toLowerCase() ?? '';
  return { ref: name, attributes: { Arn: arn(service, name) } };
};

/** Without a version or an alias. */
export const functionArn = (name: string): string => arn('lambda', `function:${name}`);
