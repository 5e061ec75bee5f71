import type { APIGatewayAuthorizerResult } from 'aws-lambda';
import { expect, test } from 'vitest';
import { type Route, routes, scopes } from '../../functions/domain/routes.ts';
import { readAuthorizerResponse } from '../../lib/local/local-engine.ts';
import { authorization, methodArn } from '../support/function-events.ts';
import { serverOf } from '../support/servers.ts';
import { newToken, revoke } from '../support/tenants.ts';
import { useFunctions } from '../support/use-functions.ts';
import { metricsIn } from './recorded-metrics.ts';

const { deployed, tenant } = await useFunctions();

const lambda = deployed('authorize');

const authorize = (header: string) =>
  lambda.invoke(authorization(routes.listSandboxes, header)) as Promise<APIGatewayAuthorizerResult>;

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

test('the authorizer allows no call of another API or another stage', async () => {
  const { allows } = readAuthorizerResponse(await authorize(`Bearer ${tenant.token}`));
  const arn = methodArn(routes.listSandboxes);
  expect(allows(arn.replace('/dev/', '/prod/'))).toBe(false);
  expect(allows(arn.replace('abcdef', 'fedcba'))).toBe(false);
});

test.each(['bearer', 'BEARER', 'Bearer  '])('takes the scheme written as %j', async (scheme) => {
  const { principalId } = await authorize(`${scheme} ${tenant.token}`);
  expect(principalId).toBe(tenant.workspace);
});

test('a token that is unknown, over or none at all is denied every route, is no failure of the function, and is not in its log', async () => {
  const revoked = await newToken(tenant);
  await revoke(revoked);
  for (const header of [
    `Bearer ${revoked}`,
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
    expect(Object.values<Route>(routes).filter((route) => allows(methodArn(route)))).toEqual([]);
  }
  for (const secret of [revoked, 'x'.repeat(43), tenant.token.slice(0, -1)]) {
    expect(lambda.log.join('\n')).not.toContain(secret);
  }
});

test('counts a token that was issued for more than 30 days and ends within 14, and no other', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const counts = [];
  for (const [issued, ends] of [
    [-18, 13],
    [-76, 13.9],
    [-76, 14.1],
    [-15, 13],
    [0, 10],
    [-76, -1],
  ] as const) {
    const tried = deployed('authorize');
    const term = { created: inDays(issued), expires_at: inDays(ends) };
    await tried.invoke(
      authorization(routes.listSandboxes, `Bearer ${await newToken(tenant, term)}`),
    );
    expect(metricsIn(tried.log)).not.toEqual([]);
    counts.push(metricsIn(tried.log).filter(({ name }) => name === 'TokenEndsSoon').length);
  }
  expect(counts).toEqual([1, 1, 0, 0, 0, 0]);
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
