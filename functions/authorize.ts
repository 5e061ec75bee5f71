import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import type { Token } from './domain/token.ts';
import { findToken } from './store/tokens.ts';
import { measured } from './telemetry/metrics.ts';

/**
 * Verifies an access token for API Gateway.
 *
 * The answer is cached for every route, so the policy covers them all; each endpoint checks the
 * token's scopes. An unknown token gets a Deny policy instead of the error `Unauthorized`, which
 * Lambda would count and log as a failure of ours. The stack turns the denial into 401.
 */
export const handler = measured(
  async (event: APIGatewayTokenAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const [, secret = ''] = event.authorizationToken.split(/ +/);
    const token = await findToken(secret);
    const [api, stage] = event.methodArn.split('/');
    const everyRoute = `${api}/${stage}/*`;
    return token && !token.revoked && token.expires_at > new Date().toISOString()
      ? allow(token, everyRoute)
      : { principalId: 'nobody', policyDocument: policy('Deny', everyRoute) };
  },
);

const allow = ({ id, workspace, account, scopes }: Token, resource: string) => ({
  principalId: workspace,
  policyDocument: policy('Allow', resource),
  context: { workspace, account, scopes, token_id: id },
});

const policy = (Effect: 'Allow' | 'Deny', Resource: string) => ({
  Version: '2012-10-17',
  Statement: [{ Action: 'execute-api:Invoke', Effect, Resource }],
});
