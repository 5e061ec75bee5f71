import {
  arn,
  functionArn,
  functionName,
  queueArn,
  queueUrl,
  region,
  secretArn,
} from '../aws-account.ts';

/** What `Ref` and `Fn::GetAtt` return for one resource. */
export interface PhysicalId {
  readonly ref: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** What only running services give. */
export interface Addresses {
  readonly sqsUrl: string;
  /** By the logical id of the table. */
  readonly streamArns: ReadonlyMap<string, string>;
}

/** A resource whose identity is asked for. */
interface Identified {
  readonly type: string;
  readonly logicalId: string;
  readonly name: string;
  /** The value of a property. */
  readonly property: (name: string) => string;
}

/** By type, from "Return values" on each type's page of the CloudFormation reference. */
const identities: Readonly<
  Record<string, (resource: Identified, addresses: Addresses) => PhysicalId>
> = {
  'AWS::ApiGateway::Authorizer': ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
  'AWS::ApiGateway::DomainName': ({ name }) => ({
    ref: name,
    // Where the name's DNS record would point to; what every regional domain's looks like.
    attributes: { RegionalDomainName: `d-0000000000.execute-api.${region}.amazonaws.com` },
  }),
  'AWS::ApiGateway::Resource': ({ logicalId }) => ({ ref: logicalId, attributes: {} }),
  // An id of letters and digits, because it becomes part of a host name.
  'AWS::ApiGateway::RestApi': ({ logicalId }) => ({
    ref: logicalId.toLowerCase(),
    attributes: { RootResourceId: `${logicalId}Root` },
  }),
  'AWS::DynamoDB::Table': ({ name, logicalId }, { streamArns }) => {
    const Arn = arn('dynamodb', `table/${name}`);
    const StreamArn = streamArns.get(logicalId) ?? `${Arn}/stream/none`;
    return { ref: name, attributes: { Arn, StreamArn } };
  },
  'AWS::Events::Archive': ({ name }) => ({
    ref: name,
    attributes: { Arn: arn('events', `archive/${name}`) },
  }),
  'AWS::Events::EventBus': ({ name }) => ({
    ref: name,
    attributes: { Arn: arn('events', `event-bus/${name}`), Name: name },
  }),
  'AWS::Lambda::Alias': ({ property }) => ({
    ref: `${functionArn(functionName(property('FunctionName')))}:${property('Name')}`,
    attributes: {},
  }),
  'AWS::Lambda::Function': ({ name }) => ({ ref: name, attributes: { Arn: functionArn(name) } }),
  'AWS::Lambda::Version': ({ property }) => ({
    ref: `${functionArn(functionName(property('FunctionName')))}:1`,
    attributes: { Version: '1' },
  }),
  // The three DNS records that verify a domain; an address has none, and no template reads them.
  'AWS::SES::EmailIdentity': ({ name }) => ({
    ref: name,
    attributes: Object.fromEntries(
      [1, 2, 3].flatMap((index) => [
        [`DkimDNSTokenName${index}`, `token${index}._domainkey.${name}`],
        [`DkimDNSTokenValue${index}`, `token${index}.dkim.amazonses.com`],
      ]),
    ),
  }),
  'AWS::SecretsManager::Secret': ({ name }) => ({ ref: secretArn(name), attributes: {} }),
  'AWS::SQS::Queue': ({ name }, { sqsUrl }) => ({
    ref: queueUrl(sqsUrl, name),
    attributes: { Arn: queueArn(name), QueueName: name },
  }),
};

/**
 * The identity of a resource. A type that is not run here still gets one, because functions and
 * outputs may mention it: its name, and an ARN of the usual form.
 */
export const physicalId = (resource: Identified, addresses: Addresses): PhysicalId => {
  const { type, name } = resource;
  const service = type.split('::')[1]?.toLowerCase() ?? '';
  return (
    identities[type]?.(resource, addresses) ?? {
      ref: name,
      attributes: { Arn: arn(service, name) },
    }
  );
};
