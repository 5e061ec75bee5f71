import type { APIGatewayAuthorizerResult, APIGatewayTokenAuthorizerEvent } from 'aws-lambda';
import { findToken } from './store/tokens.ts';

/**
 * Tells API Gateway whom an access token stands for.
 *
 * The answer is cached for every route, so the policy allows them all; what a token may do is
 * decided by its scopes, in each endpoint.
 *
 * @throws Error `Unauthorized`, the one message that API Gateway answers with 401
 */
export const handler = async (
  event: APIGatewayTokenAuthorizerEvent,
): Promise<APIGatewayAuthorizerResult> => {
  const [, secret = ''] = event.authorizationToken.split(/ +/);
  const token = await findToken(secret);
  if (!token || token.expires_at <= new Date().toISOString()) throw new Error('Unauthorized');
  const { workspace, account, scopes } = token;
  const [api, stage] = event.methodArn.split('/');
  return {
    principalId: workspace,
    policyDocument: {
      Version: '2012-10-17',
      Statement: [{ Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${api}/${stage}/*` }],
    },
    context: { workspace, account, scopes },
  };
};
