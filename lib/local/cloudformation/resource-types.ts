import type { Template } from './template.ts';

/**
 * The types of resources that make no difference on one machine, though the service needs them in
 * AWS.
 */
export const typesWithoutEffect: ReadonlySet<string> = new Set([
  // Permissions: everything runs as one user.
  'AWS::ApiGateway::Account',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Permission',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  // Monitoring and notifications: the terminal takes their place.
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Logs::LogGroup',
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  // Deployment of changes: a restart takes their place.
  'AWS::ApiGateway::Deployment',
  'AWS::CDK::Metadata',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  // A function has one code here, which each of its versions and aliases invokes.
  'AWS::Lambda::Alias',
  'AWS::Lambda::Version',
  // The firewall itself is reported.
  'AWS::WAFv2::WebACLAssociation',
  // Names of the API: here it has this machine's.
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::DomainName',
  // Permissions to send mail: it stays in the mailbox.
  'AWS::SES::ConfigurationSet',
  'AWS::SES::EmailIdentity',
]);

/** The types that would have an effect, and have none here; the start reports them. */
export const typesNotRun: ReadonlySet<string> = new Set(['AWS::WAFv2::WebACL']);

/** The types of a template that are not run here. */
export const notRunIn = ({ resources }: Template): string[] => {
  const types = Object.values(resources).map(({ Type }) => Type);
  return [...typesNotRun].filter((type) => types.includes(type));
};
