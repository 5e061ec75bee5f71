import { account } from '../aws-account.ts';
import { type GatewayRequest, header, requestTime } from './gateway-request.ts';

/** Parts of `identity` that only IAM, Cognito, API keys or client certificates would fill. */
const noIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/**
 * The event of a REST API's Lambda proxy integration, in the payload format 1.0. The body is handed
 * on as text: what is not UTF-8 in it becomes U+FFFD, as on AWS.
 */
export const proxyEvent = (request: GatewayRequest): Record<string, unknown> => {
  const { query, pathParameters, body } = request;
  return {
    resource: request.routedTo?.resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: request.headers,
    multiValueHeaders: request.multiValueHeaders,
    queryStringParameters: orNull(Object.fromEntries(query)),
    multiValueQueryStringParameters: orNull(
      Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)])),
    ),
    pathParameters: orNull(pathParameters),
    stageVariables: null,
    requestContext: requestContext(request),
    body: body.length === 0 ? null : body.toString(),
    isBase64Encoded: false,
  };
};

const requestContext = (request: GatewayRequest): Record<string, unknown> => {
  const { api, routedTo, receivedAt } = request;
  return {
    accountId: account,
    apiId: api.apiId,
    ...(request.authorizer && { authorizer: request.authorizer }),
    deploymentId: 'local',
    domainName: header(request, 'host'),
    domainPrefix: api.apiId,
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.httpMethod,
    identity: {
      ...noIdentity,
      sourceIp: request.sourceIp,
      userAgent: header(request, 'user-agent') ?? null,
    },
    // Unlike the event's path this one begins with the stage.
    path: `/${api.stage}${request.path}`,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: requestTime(receivedAt),
    requestTimeEpoch: receivedAt.getTime(),
    resourceId: routedTo?.resourceId,
    resourcePath: routedTo?.resourcePath,
    stage: api.stage,
  };
};

/** API Gateway sends null instead of an empty map. */
const orNull = <Value extends object>(map: Value): Value | null =>
  Object.keys(map).length === 0 ? null : map;
