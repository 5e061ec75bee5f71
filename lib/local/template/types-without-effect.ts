/**
 * The types of resources that make no difference on one machine, though the service needs them in
 * AWS. A stack has dozens of them; listed at start, they would hide what does make a difference.
 */
const typesWithoutEffect: ReadonlySet<string> = new Set([
  // Permissions: everything runs as one user.
  'AWS::ApiGateway::Account',
  'AWS::IAM::ManagedPolicy',
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
  // Deployment of changes: a restart takes their place.
  'AWS::ApiGateway::Deployment',
  'AWS::CDK::Metadata',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  // The firewall itself is named already.
  'AWS::WAFv2::WebACLAssociation',
  // Names of the API: here it has this machine's.
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::DomainName',
  // Permissions to send mail: it stays in the mailbox.
  'AWS::SES::ConfigurationSet',
  'AWS::SES::EmailIdentity',
]);

/**
 * Returns whether a resource would have an effect on AWS that it does not have here.
 *
 * @param isMentioned whether something that runs here refers to it
 */
export const hasEffect = (
  type: string,
  properties: Readonly<Record<string, unknown>>,
  isMentioned: boolean,
): boolean => {
  switch (type) {
    // Alarms send to it otherwise.
    case 'AWS::SNS::Topic':
      return isMentioned;
    // The others are people.
    case 'AWS::SNS::Subscription':
      return ['lambda', 'sqs', 'http', 'https', 'firehose'].includes(String(properties.Protocol));
    default:
      return !typesWithoutEffect.has(type);
  }
};
