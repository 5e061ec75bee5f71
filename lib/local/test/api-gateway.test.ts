import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ApiGateway, type RequestLog, startApiGateway } from '../api-gateway/api-gateway.ts';
import { readRestApi } from '../api-gateway/rest-api.ts';
import { FunctionError } from '../lambda/function-error.ts';
import { resource, routeOf, templateOf, uriOf } from './small-assembly.ts';

const guarded = { AuthorizationType: 'CUSTOM', AuthorizerId: { Ref: 'Tokens' } };
const source = 'export const handler = () => {};';
const template = templateOf(
  {
    ...routeOf('ANY echo/{id}', 'Echo'),
    ...routeOf('GET echo/{id}/again', 'Echo'),
    ...routeOf('GET echo/new', 'Echo'),
    ...routeOf('GET guarded/a', 'Echo', guarded),
    ...routeOf('GET guarded/b', 'Echo', guarded),
    ...routeOf('GET guarded/c', 'Echo', guarded),
    Tokens: resource('AWS::ApiGateway::Authorizer', {
      Type: 'TOKEN',
      AuthorizerUri: uriOf('Authorize'),
      IdentitySource: 'method.request.header.Authorization',
      IdentityValidationExpression: '^Bearer \\w+$',
    }),
  },
  { Echo: source, Authorize: source },
);

// biome-ignore lint/suspicious/noExplicitAny: an event is looked into, never passed on.
type Event = any;

let gateway: ApiGateway;
let url: string;
/** Stands in for the functions. */
let functions: Record<string, (event: Event) => unknown>;
let calls: { name: string; event: Event }[];
let logs: RequestLog[];

beforeAll(async () => {
  gateway = await startApiGateway({
    restApi: readRestApi(template),
    port: 0,
    isReady: () => true,
    invoke: async (name, event) => {
      calls.push({ name, event });
      return functions[name]?.(event);
    },
    onRequest: (log) => logs.push(log),
  });
  template.requireRunnable();
  url = gateway.url;
});
afterAll(() => gateway.stop());

beforeEach(() => {
  calls = [];
  logs = [];
  functions = {
    'Small-Echo': () => ({ statusCode: 200, body: 'ok' }),
    'Small-Authorize': () => policy({ Resource: '*' }),
  };
});

const policy = (...statements: object[]) => ({
  principalId: 'me',
  policyDocument: { Statement: statements.map((each) => ({ Effect: 'Allow', ...each })) },
  context: { level: 3, admin: true },
});

const eventsOf = (name: string) => calls.filter((call) => call.name === name).map((c) => c.event);

test('a function receives the event of a REST API', async () => {
  const headers = new Headers({ 'X-Tag': 'one', ['__proto__']: 'x' });
  await fetch(`${url}/echo/a%2Fb?x=1&x=2%20&y=`, { method: 'POST', body: '{"é":1}', headers });
  expect(eventsOf('Small-Echo')).toMatchObject([
    {
      path: '/echo/a%2Fb',
      httpMethod: 'POST',
      headers: { 'x-tag': 'one' },
      multiValueHeaders: { 'x-tag': ['one'] },
      queryStringParameters: { x: '2 ', y: '' },
      multiValueQueryStringParameters: { x: ['1', '2 '], y: [''] },
      pathParameters: { id: 'a/b' },
      body: '{"é":1}',
      requestContext: { identity: { sourceIp: '127.0.0.1' }, path: '/v9/echo/a%2Fb', stage: 'v9' },
    },
  ]);
});

test.each([
  ['/echo/new', '/echo/new', null],
  ['/echo/1/', '/echo/{id}', { id: '1' }],
  ['/echo/new/again', '/echo/{id}/again', { id: 'new' }],
  ['/echo/%E0%A4%A', '/echo/{id}', { id: '%E0%A4%A' }],
])('the gateway routes %s to %s', async (path, resource, pathParameters) => {
  await fetch(url + path);
  expect(eventsOf('Small-Echo')).toMatchObject([{ resource, pathParameters }]);
});

test('what a function returns is the response, and is logged', async () => {
  const body = '{"id":"é"}';
  functions['Small-Echo'] = () => ({ statusCode: 201, headers: { 'X-Count': '3' }, body });
  const response = await fetch(`${url}/echo/1?secret=1`);
  expect([response.status, await response.text()]).toEqual([201, body]);
  const { requestId } = eventsOf('Small-Echo')[0].requestContext;
  expect(response.headers.get('x-count')).toBe('3');
  expect(response.headers.get('x-amzn-requestid')).toBe(requestId);
  const durationMs = expect.any(Number);
  expect(logs).toEqual([
    { method: 'GET', path: '/echo/1', status: 201, durationMs, requestId, created: 'id=é' },
  ]);
});

const failing = () => Promise.reject(new FunctionError('TypeError', 'a secret'));
const notFound = ['MISSING_AUTHENTICATION_TOKEN', 404, 'no such method and path'] as const;

test.each<[string, string, () => unknown, string, number, string]>([
  ['a function that throws', '/echo/1', failing, 'DEFAULT_5XX', 500, 'a secret'],
  ['a function that returns nothing', '/echo/1', () => null, 'DEFAULT_5XX', 500, 'null'],
  ['no path', '/', failing, ...notFound],
  ['a path with the stage', '/v9/echo/1', failing, ...notFound],
  ['a path with an empty segment', '/echo//again', failing, ...notFound],
])('the gateway responds to %s as the API says', async (_, path, echo, code, status, error) => {
  functions['Small-Echo'] = echo;
  const response = await fetch(url + path);
  expect([response.status, await response.json()]).toEqual([status, { code }]);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('request-id')).toBe(response.headers.get('x-amzn-requestid'));
  expect(logs).toMatchObject([{ status, error: expect.stringContaining(error) }]);
});

describe('a token authorizer', () => {
  beforeEach(() => gateway.forgetAuthorizations());
  const get = async (path: string, authorization = 'Bearer token') => {
    const headers = new Headers(authorization ? { authorization } : {});
    return (await fetch(url + path, { headers })).status;
  };

  test('is asked once, and its policy holds for the routes that it names', async () => {
    const Resource = ['*/GET/guarded/a', '*/GET/guarded/b'];
    functions['Small-Authorize'] = () => policy({ Resource });
    const statuses = [await get('/guarded/a'), await get('/guarded/b'), await get('/guarded/c')];
    expect(statuses).toEqual([200, 200, 403]);
    const methodArn = 'arn:aws:execute-api:us-east-1:000000000000:api/v9/GET/guarded/a';
    expect(eventsOf('Small-Authorize')).toEqual([
      { type: 'TOKEN', authorizationToken: 'Bearer token', methodArn },
    ]);
    const authorizer = { principalId: 'me', level: '3', admin: 'true' };
    expect(eventsOf('Small-Echo')[1].requestContext.authorizer).toEqual(authorizer);
  });

  const until = (time: string) => ({ DateLessThanIfExists: { 'aws:CurrentTime': time } });
  test.each<[number, string, object[]]>([
    [200, 'a wildcard over slashes', [{ Resource: 'arn:*:api/v9/GET/*' }]],
    [200, 'a wildcard for one character', [{ Resource: ['*/v9/GET/guarded/?'] }]],
    [200, 'a time to come', [{ Resource: '*', Condition: until('2999-01-01T00:00:00Z') }]],
    [403, 'a time past', [{ Resource: '*', Condition: until('2020-01-01T00:00:00.000Z') }]],
    [403, 'a prefix only', [{ Resource: '*/guarded/' }]],
    [403, 'a dot that is no wildcard', [{ Resource: '*guarded.a' }]],
    [403, 'nothing', []],
    [403, 'a denial too', [{ Resource: '*' }, { Resource: '*', Effect: 'Deny' }]],
    [503, 'another condition', [{ Resource: '*', Condition: { IpAddress: {} } }]],
  ])('returns %i to a policy with %s', async (status, _, statements) => {
    functions['Small-Authorize'] = () => policy(...statements);
    expect(await get('/guarded/a')).toBe(status);
  });

  test.each(['', 'Basic abc', 'Bearer not/valid'])(
    'is not asked for the token %j',
    async (token) => {
      expect(await get('/guarded/a', token)).toBe(401);
      expect(calls).toEqual([]);
    },
  );

  test('that fails is 503, and asked again the next time', async () => {
    functions['Small-Authorize'] = failing;
    expect(await get('/guarded/a')).toBe(503);
    functions['Small-Authorize'] = () => policy({ Resource: '*' });
    expect(await get('/guarded/a')).toBe(200);
  });
});
