import { CfnOutput, Duration, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  type CfnRestApi,
  EndpointAccessMode,
  EndpointType,
  type IResource,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  MockIntegration,
  PassthroughBehavior,
  RestApi,
  SecurityPolicy,
  type StageOptions,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { problemHeaders } from '../../functions/domain/problem.ts';
import type { Route } from '../../functions/domain/routes.ts';
import { tokenPattern } from '../../functions/domain/token-form.ts';
import { allowedMethods } from '../openapi/methods.ts';
import { type Alarms, period, sum, throttles } from './alarms.ts';
import { addGatewayResponses, problemTemplate, staticHeaders } from './gateway-responses.ts';
import { internalErrors, recorded } from './metrics.ts';
import type { ServiceFunction } from './service-function.ts';
import type { Settings } from './settings.ts';

export interface PaymentsApiProps {
  readonly settings: Settings;
  readonly alarms: Alarms;
  readonly authorizer: ServiceFunction;
  readonly endpoints: readonly { readonly route: Route; readonly function: ServiceFunction }[];
}

/**
 * The REST API: one Lambda for each route, 405 for a route's other methods, 404 for the rest, and
 * its alarms.
 */
export class PaymentsApi extends RestApi {
  /** The base URL, to which the paths of the contract are relative. */
  readonly baseUrl: string;
  /** A line for each request. */
  readonly accessLogs: LogGroup;

  constructor(scope: Construct, id: string, props: PaymentsApiProps) {
    const { settings, authorizer, endpoints } = props;
    const { domain } = settings;
    const accessLogs = new LogGroup(scope, `${id}Logs`, settings.logs);
    super(scope, id, {
      // CloudWatch distinguishes the APIs of an account only by name.
      restApiName: `WorkforcePayments-${settings.stage}`,
      description: `Workforce payments (${settings.stage})`,
      endpointTypes: [EndpointType.REGIONAL],
      ...(domain && {
        domainName: {
          domainName: domain.name,
          certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
          endpointType: EndpointType.REGIONAL,
          ...tlsFrom(settings.tls),
        },
      }),
      deployOptions: stageOptions(settings, accessLogs),
      // Of the account and not of the stage: lib/stack/api-gateway-logs.ts.
      cloudWatchRole: false,
    });
    this.accessLogs = accessLogs;
    this.baseUrl = domain ? `https://${domain.name}/` : this.url;
    if (this.domainName) {
      new CfnOutput(scope, 'DomainTarget', {
        value: this.domainName.domainNameAliasDomainName,
        description: `What the DNS record of ${domain?.name} (CNAME, or an alias) must point to`,
      });
    }
    // API Gateway's own address stays beside a domain: clients move to it when its DNS record is
    // there. Both lead to the stage, with its firewall, and take the API's TLS policy ("Choose a
    // security policy for your custom domain in API Gateway"); by itself a regional API takes TLS
    // 1.0. The CDK's RestApi has no property.
    Object.assign(this.node.defaultChild as CfnRestApi, tlsFrom(settings.tls));
    // The CDK's own output, whose name it generates.
    this.node.tryRemoveChild('Endpoint');
    keepExecutionLogs(this, settings);
    acknowledgeFindings(this, settings);
    addGatewayResponses(this);
    addRoutes(this, authorizer, endpoints);
    for (const path of new Set(endpoints.map(({ route }) => route.path))) {
      addMethodNotAllowed(this.root.resourceForPath(path), allowedMethods(path));
    }
    addAlarms(this, props);
  }
}

const stageOptions = ({ stage, throttling }: Settings, accessLogs: LogGroup): StageOptions => ({
  stageName: stage,
  throttlingRateLimit: throttling.rate,
  throttlingBurstLimit: throttling.burst,
  tracingEnabled: true,
  // Counts and latencies of each method and not of the whole API only.
  metricsEnabled: true,
  loggingLevel: MethodLoggingLevel.ERROR,
  // Bodies and tokens stay out of the logs.
  dataTraceEnabled: false,
  accessLogDestination: new LogGroupLogDestination(accessLogs),
  accessLogFormat: AccessLogFormat.custom(JSON.stringify(accessLog)),
});

/** A method for each endpoint, behind the authorizer. */
const addRoutes = (
  api: RestApi,
  authorizer: ServiceFunction,
  endpoints: PaymentsApiProps['endpoints'],
): void => {
  const tokenAuthorizer = new TokenAuthorizer(api, 'TokenAuthorizer', {
    handler: authorizer.live,
    // Text that cannot be a token is rejected here, without a call of the authorizer.
    validationRegex: `^[Bb][Ee][Aa][Rr][Ee][Rr] +${tokenPattern}$`,
    // How long a revoked token still works.
    resultsCacheTtl: Duration.seconds(60),
  });
  for (const { route, function: handler } of endpoints) {
    const integration = new LambdaIntegration(handler.live, { allowTestInvoke: false });
    api.root.resourceForPath(route.path).addMethod(route.method, integration, {
      authorizer: tokenAuthorizer,
      authorizationType: AuthorizationType.CUSTOM,
    });
  }
};

/**
 * By the oldest version of TLS that is accepted: TLS 1.3 and its three ciphers, or TLS 1.2 too,
 * with forward secrecy ("Supported security policies"), from clients that name the host that they
 * mean.
 */
const tlsFrom = (oldest: Settings['tls']) => ({
  securityPolicy:
    oldest === '1.3' ? SecurityPolicy.TLS13_1_3_2025_09 : SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
});

/**
 * A line for each request; `request_id` is what the client reads and what our functions log. A
 * client may choose it, and never the extended one ("Variables for access logging for API
 * Gateway", which does not say that API Gateway escapes what a client sends: its agent comes first,
 * so that no line ends with members of its choice).
 */
const accessLog = {
  user_agent: '$context.identity.userAgent',
  request_id: '$context.requestId',
  extended_request_id: '$context.extendedRequestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  workspace: '$context.authorizer.workspace',
  token: '$context.authorizer.token_id',
  method: '$context.httpMethod',
  path: '$context.resourcePath',
  status: '$context.status',
  // The response that API Gateway made by itself, as lib/stack/gateway-responses.ts names it.
  gateway_response: '$context.error.responseType',
  authorizer_error: '$context.authorizer.error',
  integration_error: '$context.integration.error',
  firewall: '$context.wafResponseCode',
  firewall_error: '$context.waf.error',
  response_bytes: '$context.responseLength',
  latency_ms: '$context.responseLatency',
  function_latency_ms: '$context.integrationLatency',
};

/** API Gateway logs its errors to a group of this name; its own would have no retention period. */
const keepExecutionLogs = (api: RestApi, settings: Settings): void => {
  const logGroup = new LogGroup(api, 'ExecutionLogs', {
    logGroupName: `API-Gateway-Execution-Logs_${api.restApiId}/${settings.stage}`,
    ...settings.logs,
  });
  api.deploymentStage.node.addDependency(logGroup);
};

const acknowledgeFindings = (api: RestApi, settings: Settings): void => {
  if (!settings.firewall) {
    Validations.of(api).acknowledge({
      id: 'AwsSolutions-APIG3',
      reason: 'AWS WAF costs by the request and is a setting: firewall: true in bin/stages.ts.',
    });
  }
  Validations.of(api).acknowledge(
    {
      id: 'AwsSolutions-APIG2',
      reason:
        'Our functions validate requests and name every fault at once; a request validator would respond first, and name the first one.',
    },
    {
      id: 'AwsSolutions-APIG4',
      reason:
        'Every route calls the authorizer. Only the 405 responses of other methods do not: they are constants.',
    },
    {
      id: 'AwsSolutions-COG4',
      reason:
        'Callers are machines with tokens of the service, which a Lambda authorizer verifies.',
    },
  );
};

/**
 * What clients send bodies as. API Gateway picks a mock's template by media type and has none for
 * all: where a body may pass instead, the mock looks for its status there, and fails (500).
 */
const bodyTypes = [
  'application/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
  'text/plain',
];

/**
 * Responds to every other method of a path with 405 and `Allow`, without a Lambda. A body of a type
 * that is not listed gets the same response from the gateway response UNSUPPORTED_MEDIA_TYPE, with
 * the `Allow` that all paths have in common.
 */
const addMethodNotAllowed = (resource: IResource, allowed: string): void => {
  const headers = staticHeaders({
    ...problemHeaders('method_not_allowed'),
    Allow: allowed,
  });
  const responseParameters = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
  );
  resource.addMethod(
    'ANY',
    new MockIntegration({
      passthroughBehavior: PassthroughBehavior.NEVER,
      requestTemplates: Object.fromEntries(bodyTypes.map((type) => [type, '{"statusCode": 405}'])),
      integrationResponses: [
        {
          statusCode: '405',
          responseParameters,
          responseTemplates: {
            'application/json': problemTemplate(
              'method_not_allowed',
              `This path supports ${allowed.replace(', ', ' and ')}.`,
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

const addAlarms = (
  api: RestApi,
  { settings, alarms, authorizer, endpoints }: PaymentsApiProps,
): void => {
  const functions = endpoints.map((endpoint) => endpoint.function);
  alarms.add('InternalErrors', {
    means:
      'A request got the response internal_error, or an endpoint or the authorizer ended without a response: a fault of this service. Its client cannot know whether it had its effect.',
    metric: sum([
      internalErrors(settings, period),
      ...[authorizer, ...functions].map((each) => each.metricErrors({ period })),
    ]),
    threshold: 0,
  });
  alarms.add('ServerErrors', {
    means:
      'Every request of five minutes, or five and more than 1 % of them, got the response 500, 503 or 504: clients must retry.',
    metric: new MathExpression({
      // With few requests, a single failure would exceed any rate, and an outage no count.
      expression:
        'IF(errors > 0 AND (errors >= 5 OR errors == requests), 100 * errors / requests, 0)',
      period,
      usingMetrics: {
        errors: api.metricServerError({ period, statistic: Stats.SUM }),
        requests: api.metricCount({ period }),
      },
    }),
    threshold: 1,
  });
  alarms.add('SlowRequests', {
    means:
      'For 15 minutes, one request in a hundred has taken longer than three seconds: clients wait.',
    metric: api.metricLatency({ period, statistic: Stats.percentile(99) }),
    threshold: 3000,
    periods: 3,
  });
  alarms.add('TokensEndSoon', {
    means:
      'Somebody uses a token that was issued for more than 30 days and ends within 14: from then on, its client gets 401.',
    metric: recorded(settings, authorizer.file, 'TokenEndsSoon', { period: Duration.days(1) }),
    threshold: 0,
  });
  alarms.add('ThrottledRequests', {
    means:
      'Lambda throttled the authorizer or an endpoint: clients got 503 or 504, and nothing was done.',
    metric: throttles([authorizer, ...functions]),
    threshold: 0,
  });
};
