import { type App, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnAccount } from 'aws-cdk-lib/aws-apigateway';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Settings } from './settings.ts';

/**
 * The role by which API Gateway writes logs. An account has one in each region, for all its APIs
 * (API Gateway Developer Guide, "Set up CloudWatch logging for REST APIs in API Gateway"), so it is
 * no part of a stage: the stages of an account would take it from one another.
 */
class ApiGatewayLogs extends Stack {
  constructor(app: App, id: string, { env, permissionsBoundary }: Settings) {
    super(app, id, {
      env,
      stackName: 'WorkforcePayments-ApiGatewayLogs',
      permissionsBoundary,
      description: 'The role by which API Gateway writes logs in this account and region',
    });
    const policy = 'service-role/AmazonAPIGatewayPushToCloudWatchLogs';
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(policy)],
    });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${policy}]`,
      reason:
        'API Gateway makes log groups with names of its own choice for all APIs of the account; this is the policy that it requires.',
    });
    const account = new CfnAccount(this, 'Account', { cloudWatchRoleArn: role.roleArn });
    // Another API may be logging with it by then.
    for (const each of [role, account]) each.applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

/** The stack with the role of a stage's account and region. */
export const apiGatewayLogsOf = (app: App, settings: Settings): Stack => {
  const { account, region } = settings.env;
  const id = ['WorkforcePayments-ApiGatewayLogs', account, region].filter(Boolean).join('-');
  const existing = app.node.tryFindChild(id) as ApiGatewayLogs | undefined;
  return existing ?? new ApiGatewayLogs(app, id, settings);
};
