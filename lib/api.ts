import { Duration } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  MockIntegration,
  PassthroughBehavior,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { problemHeaders } from '../functions/domain/problem.ts';
import type { Route } from '../functions/domain/routes.ts';
import { addGatewayResponses, problemTemplate, staticHeaders } from './gateway-responses.ts';
import type { Settings } from './settings.ts';

export interface PaymentsApiProps {
  readonly settings: Settings;
  readonly authorizer: IFunction;
  readonly endpoints: readonly { readonly route: Route; readonly function: IFunction }[];
}

/** The REST API: one Lambda for each route, 405 for a route's other methods, 404 for the rest. */
export class PaymentsApi extends RestApi {
  constructor(scope: Construct, id: string, { settings, authorizer, endpoints }: PaymentsApiProps) {
    super(scope, id, {
      description: `Workforce payments (${settings.stage})`,
      deployOptions: {
        stageName: settings.stage,
        throttlingRateLimit: 500,
        throttlingBurstLimit: 1000,
        accessLogDestination: new LogGroupLogDestination(
          new LogGroup(scope, `${id}Logs`, {
            retention: settings.logRetention,
            removalPolicy: settings.removalPolicy,
          }),
        ),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
      },
      cloudWatchRole: true,
    });
    addGatewayResponses(this);
    const tokenAuthorizer = new TokenAuthorizer(this, 'TokenAuthorizer', {
      handler: authorizer,
      // Text that cannot be a token is turned away here, without a call.
      validationRegex: '^[Bb][Ee][Aa][Rr][Ee][Rr] +wfp_(live|test)_[0-9A-Za-z_-]{43}$',
      // How long a revoked token still works.
      resultsCacheTtl: Duration.seconds(60),
    });
    for (const { route, function: handler } of endpoints) {
      this.root
        .resourceForPath(route.path)
        .addMethod(route.method, new LambdaIntegration(handler, { allowTestInvoke: false }), {
          authorizer: tokenAuthorizer,
          authorizationType: AuthorizationType.CUSTOM,
        });
    }
    for (const path of new Set(endpoints.map(({ route }) => route.path))) {
      const allowed = endpoints.filter(({ route }) => route.path === path);
      addMethodNotAllowed(
        this.root.resourceForPath(path),
        allowed.map(({ route }) => route.method).sort(),
      );
    }
  }
}

/** Answers every other method of a path with 405 and `Allow`, without a Lambda. */
const addMethodNotAllowed = (resource: IResource, allowed: readonly string[]): void => {
  const headers = staticHeaders({
    ...problemHeaders('method_not_allowed'),
    Allow: allowed.join(', '),
  });
  const responseParameters = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
  );
  resource.addMethod(
    'ANY',
    new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: { 'application/json': '{"statusCode": 405}' },
      integrationResponses: [
        {
          statusCode: '405',
          responseParameters,
          responseTemplates: {
            'application/json': problemTemplate(
              'method_not_allowed',
              `This path supports ${allowed.join(' and ')}.`,
            ),
          },
        },
      ],
    }),
    {
      authorizationType: AuthorizationType.NONE,
      methodResponses: [
        {
          statusCode: '405',
          responseParameters: Object.fromEntries(
            Object.keys(responseParameters).map((name) => [name, true]),
          ),
        },
      ],
    },
  );
};
