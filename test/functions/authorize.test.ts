import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { expect, onTestFinished, test, vi } from 'vitest';
import { authorization, methodArn } from '../../bin/testing/function-events.ts';
import { newToken } from '../../bin/testing/tenants.ts';
import { type Route, routes, scopes } from '../../functions/domain/routes.ts';
import { readAuthorizerResponse } from '../../lib/local/local-engine.ts';
import { closedAddress, serverOf } from '../support/servers.ts';
import { useFunctions } from '../support/use-functions.ts';

const { deployed, tenant } = await useFunctions();

const lambda = deployed('authorize');
const all: readonly Route[] = Object.values(routes);

const authorize = (header: string, route: Route = routes.listSandboxes) =>
  lambda.invoke(authorization(route, header)) as Promise<APIGatewayAuthorizerResult>;

/** API Gateway's decision by a policy, for as long as it caches it. */
const policyFor = async (asked: Route) =>
  readAuthorizerResponse(await authorize(`Bearer ${tenant.token}`, asked)).allows;

test('the authorizer says whom a token stands for, in strings alone', async () => {
  const { principalId, context } = await authorize(`Bearer ${tenant.token}`);

  expect(principalId).toBe(tenant.workspace);
  expect(context).toEqual({
    workspace: tenant.workspace,
    account: tenant.account,
    scopes: scopes.join(' '),
    token_id: expect.stringMatching(/^tok_[0-9A-Z]{26}$/),
  });
});

test.each(all)('the policy for a call of $method $path allows every route', async (asked) => {
  const allows = await policyFor(asked);
  expect(all.filter((route) => !allows(methodArn(route)))).toEqual([]);
});

test('the policy allows nothing once the token has expired, however long it is cached', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const [route, arn] = [routes.listSandboxes, methodArn(routes.listSandboxes)];
  const expires_at = '2099-06-01T00:00:00.000Z';
  const response = await authorize(`Bearer ${await newToken(tenant, { expires_at })}`, route);
  const { allows } = readAuthorizerResponse(response);
  vi.setSystemTime('2099-05-31T23:59:59Z');
  expect(allows(arn)).toBe(true);
  vi.setSystemTime(expires_at);
  expect(allows(arn)).toBe(false);
});

test('the authorizer allows no call of another API or another stage', async () => {
  const allows = await policyFor(routes.listSandboxes);
  const arn = methodArn(routes.listSandboxes);
  expect(allows(arn.replace('/dev/', '/prod/'))).toBe(false);
  expect(allows(arn.replace('abcdef', 'fedcba'))).toBe(false);
});

test.each(['bearer', 'BEARER', 'Bearer  '])('takes the scheme written as %j', async (scheme) => {
  const { principalId } = await authorize(`${scheme} ${tenant.token}`);
  expect(principalId).toBe(tenant.workspace);
});

test('a token that is unknown, over or none at all is denied every route, and is no failure of the function', async () => {
  for (const header of [
    `Bearer wfp_live_${'x'.repeat(43)}`,
    `Bearer ${tenant.token.slice(0, -1)}`,
    `Bearer ${tenant.token.toLowerCase()}`,
    `Bearer ${await newToken(tenant, { expires_at: '2020-01-01T00:00:00.000Z' })}`,
    'Bearer',
    '',
    tenant.token,
    `Bearer ${'x'.repeat(8000)}`,
  ]) {
    const { context, allows } = readAuthorizerResponse(await authorize(header));
    expect(context).toEqual({});
    expect(all.filter((route) => allows(methodArn(route)))).toEqual([]);
  }
});

test('the authorizer does not call a token bad because the table cannot be reached', async () => {
  const cutOff = deployed('authorize', { AWS_ENDPOINT_URL_DYNAMODB: closedAddress });
  const response = cutOff.invoke(authorization(routes.listSandboxes, `Bearer ${tenant.token}`));
  await expect(response).rejects.toEqual(
    expect.objectContaining({ errorMessage: expect.stringContaining('ECONNREFUSED') }),
  );
});

test('a function signs its requests with its session, in its region', async () => {
  const headers: Record<string, unknown>[] = [];
  const dynamodb = await serverOf((request, response) => {
    headers.push(request.headers);
    request.resume();
    response.setHeader('Content-Type', 'application/x-amz-json-1.0').end('{}');
  });
  const signing = deployed('authorize', {
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
    AWS_SESSION_TOKEN: 'session-of-the-role',
  });
  await signing.invoke(authorization(routes.listSandboxes, 'Bearer token'));
  expect(headers).toEqual([
    expect.objectContaining({
      'x-amz-security-token': 'session-of-the-role',
      authorization: expect.stringMatching(/Credential=local\/\d+\/us-east-1\/dynamodb\//),
    }),
  ]);
});

test('the authorizer writes no token into its log', async () => {
  await authorize(`Bearer ${tenant.token}`);
  await authorize(`Bearer wfp_live_${'y'.repeat(43)}`);
  const log = lambda.log.join('\n');
  expect(log).not.toContain(tenant.token);
  expect(log).not.toContain('y'.repeat(43));
});
