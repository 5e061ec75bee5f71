import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { endsSoon } from './domain/token.ts';
import { findToken } from './store/tokens.ts';
import { count, measured } from './telemetry/metrics.ts';

/**
 * Verifies an access token for API Gateway.
 *
 * The response is cached for every route, so the policy covers them all; each endpoint checks the
 * token's scopes. An unknown token gets a Deny policy instead of the error `Unauthorized`, which
 * Lambda would count and log as a failure of ours. The stack turns the denial into 401.
 *
 * API Gateway evaluates a cached policy for each request, so the condition ends the Allow with the
 * token. `IfExists` accepts a request whose evaluation lacks the time, as without the condition. An
 * endpoint could not refuse it instead: API Gateway renames the header `WWW-Authenticate` of a
 * function's response ("Amazon API Gateway important notes").
 */
export const handler = measured(
  async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const [, secret = ''] = event.authorizationToken.split(/ +/);
    const token = await findToken(secret);
    const [api, stage] = event.methodArn.split('/');
    const everyRoute = `${api}/${stage}/*`;
    const isValid = token && !token.revoked && token.expires_at > new Date().toISOString();
    if (!isValid) return { principalId: 'nobody', policyDocument: policy('Deny', everyRoute) };
    if (endsSoon(token)) count('TokenEndsSoon');
    const { id, workspace, account, scopes, expires_at } = token;
    const Condition = { DateLessThanIfExists: { 'aws:CurrentTime': expires_at } };
    return {
      principalId: workspace,
      policyDocument: policy('Allow', everyRoute, { Condition }),
      context: { workspace, account, scopes, token_id: id },
    };
  },
);

const policy = (Effect: 'Allow' | 'Deny', Resource: string, more: object = {}) => ({
  Version: '2012-10-17',
  Statement: [{ Action: 'execute-api:Invoke', Effect, Resource, ...more }],
});
