import { ServiceError } from '../server/json-server.ts';

/**
 * The types that run here, with the properties that they may have; `Name=value` may have this value
 * alone. Any other type and property is rejected at the start, so that none is ignored silently.
 * What lies within a property is not checked.
 */
export const supported: Readonly<Record<string, string>> = {
  'AWS::ApiGateway::Authorizer':
    'AuthorizerResultTtlInSeconds AuthorizerUri IdentitySource=method.request.header.Authorization IdentityValidationExpression Name RestApiId Type=TOKEN',
  'AWS::ApiGateway::GatewayResponse':
    'ResponseParameters ResponseTemplates ResponseType RestApiId StatusCode',
  'AWS::ApiGateway::Method':
    'AuthorizationType AuthorizerId HttpMethod Integration MethodResponses ResourceId RestApiId',
  'AWS::ApiGateway::Resource': 'ParentId PathPart RestApiId',
  'AWS::ApiGateway::RestApi':
    'Description EndpointAccessMode EndpointConfiguration Name SecurityPolicy',
  'AWS::ApiGateway::Stage':
    'AccessLogSetting DeploymentId MethodSettings RestApiId StageName TracingEnabled',
  'AWS::DynamoDB::Table':
    'AttributeDefinitions BillingMode=PAY_PER_REQUEST ContributorInsightsSpecification DeletionProtectionEnabled KeySchema PointInTimeRecoverySpecification StreamSpecification TableName TimeToLiveSpecification',
  'AWS::Events::EventBus': 'Description Name',
  'AWS::Events::Rule': 'Description EventBusName EventPattern Name State=ENABLED Targets',
  'AWS::Lambda::EventSourceMapping':
    'BatchSize BisectBatchOnFunctionError DestinationConfig EventSourceArn FilterCriteria FunctionName FunctionResponseTypes MaximumRecordAgeInSeconds MetricsConfig ScalingConfig StartingPosition=TRIM_HORIZON',
  'AWS::Lambda::Function':
    'Architectures Code Description Environment FunctionName Handler LoggingConfig MemorySize ReservedConcurrentExecutions Role Runtime=nodejs24.x Timeout TracingConfig',
  'AWS::SQS::Queue':
    'MessageRetentionPeriod QueueName RedriveAllowPolicy RedrivePolicy SqsManagedSseEnabled VisibilityTimeout',
};

/**
 * @param list of names; `Name=value` may have this value alone
 * @throws ServiceError that names each property that is not in it. Tags change nothing anywhere
 */
export const requireSupported = (list: string, properties: object): void => {
  const known = new Map(list.split(' ').map((each) => each.split('=') as [string, string]));
  const faults = Object.entries(properties).flatMap(([name, value]) => {
    if (name === 'Tags') return [];
    if (!known.has(name)) return [`${name} is not supported here`];
    const only = known.get(name);
    return only === undefined || only === value
      ? []
      : [`${name} must be ${only} here, not ${value}`];
  });
  if (faults.length > 0) throw new ServiceError('UnsupportedOperation', faults.join('\n'));
};

/** The types that make no difference on one machine, though the service needs them in AWS. */
export const withoutEffect: ReadonlySet<string> = new Set([
  // Permissions: everything runs as one user.
  'AWS::Events::EventBusPolicy',
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
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  // Deployment of changes: a restart takes their place.
  'AWS::ApiGateway::Deployment',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  // A function has one code here, which each of its versions and aliases invokes.
  'AWS::Lambda::Alias',
  'AWS::Lambda::Version',
  // The firewall itself is reported.
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
  // Names of the API: here it has this machine's.
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::DomainName',
  // Mail stays in the mailbox; that of SES's simulator has the events, whoever subscribes to them.
  'AWS::SES::ConfigurationSet',
  'AWS::SES::ConfigurationSetEventDestination',
  'AWS::SES::EmailIdentity',
  // The panel beside the reference shows the last events.
  'AWS::Events::Archive',
]);

/** The types that would have an effect, and have none here; the start reports them. */
export const notRun: ReadonlySet<string> = new Set(['AWS::WAFv2::WebACL']);
