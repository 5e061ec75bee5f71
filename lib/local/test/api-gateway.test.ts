import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { Duration, type Stack } from 'aws-cdk-lib';
import {
  AuthorizationType,
  LambdaIntegration,
  MockIntegration,
  PassthroughBehavior,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RequestLog, startApiGateway } from '../api-gateway/api-gateway.ts';
import { readRestApi } from '../api-gateway/rest-api.ts';
import { FunctionError } from '../lambda/function-error.ts';
import { addAnswers, functionOf, readerIn, synthesize } from './small-assembly.ts';

const smallApi = (stack: Stack): void => {
  const api = new RestApi(stack, 'Api', {
    // The operations that CDK adds to the stage have no limit then.
    cloudWatchRole: false,
    deployOptions: { stageName: 'v9', throttlingRateLimit: 0.000_1, throttlingBurstLimit: 100 },
  });
  addEchoes(stack, api);
  addMocks(api);
  addAnswers(stack);
};

const addEchoes = (stack: Stack, api: RestApi): void => {
  const source = 'export const handler = () => ({});';
  const authorize = functionOf(stack, 'Authorize', source);
  const echo = functionOf(stack, 'Echo', source);
  const echoed = new LambdaIntegration(echo);
  api.root.resourceForPath('/echo/{id}').addMethod('ANY', echoed);
  for (const path of ['/plain', '/slow']) api.root.resourceForPath(path).addMethod('GET', echoed);

  const tokenAuthorizer = new TokenAuthorizer(stack, 'TokenAuthorizer', {
    handler: authorize,
    validationRegex: '^Bearer \\w+$',
    resultsCacheTtl: Duration.minutes(5),
  });
  for (const path of ['/guarded/a', '/guarded/b']) {
    api.root.resourceForPath(path).addMethod('GET', echoed, {
      authorizer: tokenAuthorizer,
      authorizationType: AuthorizationType.CUSTOM,
    });
  }
};

const addMocks = (api: RestApi): void => {
  const mock = new MockIntegration({
    passthroughBehavior: PassthroughBehavior.NEVER,
    requestTemplates: { 'application/json': '{ statusCode: 405 }' },
    integrationResponses: [
      {
        statusCode: '405',
        responseParameters: {
          'method.response.header.Allow': "'GET, POST'",
          'method.response.header.Request-Id': 'context.requestId',
        },
        responseTemplates: { 'application/json': '{"id":"$context.requestId","cost":"$5"}' },
      },
    ],
  });
  const responseParameters = {
    'method.response.header.Allow': true,
    'method.response.header.Request-Id': true,
  };
  api.root.resourceForPath('/mock').addMethod('ANY', mock, {
    methodResponses: [{ statusCode: '405', responseParameters }],
  });
};

let url: string;
let stop: () => Promise<void>;
/** Stands in for the functions, by their logical id's beginning. */
let functions: { Echo: (event: Event) => unknown; Authorize: (event: Event) => unknown };
let calls: { name: string; event: Event }[];
let logs: RequestLog[];

// biome-ignore lint/suspicious/noExplicitAny: an event is looked into, never passed on.
type Event = any;

beforeAll(async () => {
  const reader = readerIn(synthesize(smallApi));
  const restApi = readRestApi(reader);
  reader.requireRunnable();
  const gateway = await startApiGateway({
    restApi,
    port: 0,
    integrationTimeoutMs: 200,
    invoke: async (functionName, event) => {
      const name = functionName.startsWith('Small-Echo') ? 'Echo' : 'Authorize';
      calls.push({ name, event });
      return functions[name](event);
    },
    onRequest: (log) => logs.push(log),
  });
  ({ url, stop } = gateway);
});
afterAll(() => stop());

beforeEach(() => {
  calls = [];
  logs = [];
  functions = { Echo: () => ({ statusCode: 200, body: 'ok' }), Authorize: () => policy('*') };
});

const policy = (resource: string, effect = 'Allow') => ({
  principalId: 'me',
  policyDocument: {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: resource }],
  },
  context: { level: 3, admin: true },
});

const eventsOf = (name: string) => calls.filter((call) => call.name === name).map((c) => c.event);

describe('a Lambda proxy integration', () => {
  test('receives the event of a REST API', async () => {
    await fetch(`${url}/echo/a%2Fb?x=1&x=2%20&y=`, {
      method: 'POST',
      body: '{"é":1}',
      headers: { 'User-Agent': 'vitest', 'Content-Type': 'application/json' },
    });

    const [event] = eventsOf('Echo');
    expect(event).toMatchObject({
      resource: '/echo/{id}',
      path: '/echo/a%2Fb',
      httpMethod: 'POST',
      queryStringParameters: { x: '2 ', y: '' },
      multiValueQueryStringParameters: { x: ['1', '2 '], y: [''] },
      pathParameters: { id: 'a/b' },
      body: '{"é":1}',
      isBase64Encoded: false,
      requestContext: {
        accountId: '000000000000',
        httpMethod: 'POST',
        identity: { sourceIp: '127.0.0.1', userAgent: 'vitest' },
        path: '/v9/echo/a%2Fb',
        protocol: 'HTTP/1.1',
        resourcePath: '/echo/{id}',
        stage: 'v9',
      },
    });
    expect(event.requestContext.requestTime).toMatch(/^\d\d\/\w{3}\/\d{4}:\d\d:\d\d:\d\d \+0000$/);
    expect(event.requestContext).not.toHaveProperty('authorizer');
  });

  test('receives null for what the request does not have', async () => {
    await fetch(`${url}/plain`);
    expect(eventsOf('Echo')[0]).toMatchObject({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
      isBase64Encoded: false,
    });
  });

  test('receives header names as they were sent, and all values of a repeated header', async () => {
    await send('GET', '/echo/1', ['X-Tag', 'one', 'x-tag', 'two', 'idempotency-KEY', 'k']);

    const [{ headers, multiValueHeaders }] = eventsOf('Echo');
    expect(headers).toMatchObject({ 'X-Tag': 'two', 'idempotency-KEY': 'k' });
    expect(multiValueHeaders).toMatchObject({ 'X-Tag': ['one', 'two'], 'idempotency-KEY': ['k'] });
    expect(headers).not.toHaveProperty('Connection');
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'receives a header that is called %s as any other',
    async (name) => {
      expect((await send('GET', '/echo/1', [name, 'one', name, 'two'])).status).toBe(200);

      const [{ headers, multiValueHeaders }] = eventsOf('Echo');
      expect(Object.entries(headers)).toContainEqual([name, 'two']);
      expect(Object.entries(multiValueHeaders)).toContainEqual([name, ['one', 'two']]);
    },
  );

  test('answers with its status, headers and body', async () => {
    functions.Echo = () => ({
      statusCode: '201',
      headers: { 'X-Count': 3, 'WWW-Authenticate': 'Bearer', Both: 'single' },
      multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'], Both: ['multi'] },
      body: 'é',
    });
    const response = await fetch(`${url}/echo/1`);

    expect(response.status).toBe(201);
    expect(await response.text()).toBe('é');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'x-count': '3',
      both: 'multi',
      // API Gateway keeps this name for itself.
      'x-amzn-remapped-www-authenticate': 'Bearer',
      'x-amzn-requestid': eventsOf('Echo')[0].requestContext.requestId,
    });
    expect(response.headers.has('www-authenticate')).toBe(false);
  });

  test('answers 204 without a body', async () => {
    functions.Echo = () => ({ statusCode: 204 });
    const response = await fetch(`${url}/echo/1`);
    expect(response.status).toBe(204);
    expect(response.headers.has('content-length')).toBe(false);
  });

  test.each([
    ['throws', () => Promise.reject(new FunctionError('TypeError', 'a secret'))],
    ['answers nothing', () => null],
    ['answers text', () => 'ok'],
    ['answers a body that is no string', () => ({ statusCode: 200, body: {} })],
    ['answers a member that does not belong', () => ({ statusCode: 200, cookies: [] })],
    ['answers a status that is none', () => ({ statusCode: 'fine' })],
    ['answers a header with a line break', () => ({ headers: { a: 'b\r\nc: d' } })],
  ])('that %s is an error with the words of the gateway', async (_, behaviour) => {
    functions.Echo = behaviour;
    const response = await fetch(`${url}/echo/1`);

    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ code: 'DEFAULT_5XX' });
    expect(logs[0]?.error).toBeTruthy();
  });

  test('that takes longer than its timeout is a 504', async () => {
    const { promise, resolve } = Promise.withResolvers();
    functions.Echo = () => promise;
    const response = await fetch(`${url}/echo/1`);
    resolve({});

    expect(response.status).toBe(504);
    expect(await response.json()).toEqual({ code: 'INTEGRATION_TIMEOUT' });
  });
});

describe('the gateway by itself', () => {
  test('has no path and no method that the template does not have', async () => {
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/echo'],
      ['POST', '/slow'],
      ['GET', '/v9/echo/1'],
    ] as const) {
      const response = await fetch(url + path, { method });
      expect(response.status).toBe(404);
      expect(response.headers.get('content-type')).toBe('application/problem+json');
      expect(response.headers.get('request-id')).toBe(response.headers.get('x-amzn-requestid'));
      expect(await response.json()).toEqual({ code: 'MISSING_AUTHENTICATION_TOKEN' });
    }
    expect(calls).toEqual([]);
  });

  test('refuses a body over 10 MB, announced or not', async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    for (const headers of [
      ['Content-Length', String(11 * chunk.length)],
      ['Transfer-Encoding', 'chunked'],
    ]) {
      const response = await send('POST', '/echo/1', headers, Array(11).fill(chunk));
      expect(response.status).toBe(413);
      expect(JSON.parse(response.body)).toEqual({ code: 'REQUEST_TOO_LARGE' });
      // On the same connection.
      expect((await send('GET', '/plain', [])).status).toBe(200);
    }
    expect(eventsOf('Echo').map(({ path }) => path)).toEqual(['/plain', '/plain']);
  });

  test('throttles each method by itself', async () => {
    const statuses = [];
    for (let i = 0; i < 101; i += 1) statuses.push((await fetch(`${url}/slow`)).status);
    expect(statuses).toEqual([...Array(100).fill(200), 429]);
    expect((await fetch(`${url}/echo/1`)).status).toBe(200);
  });

  test('answers an authorizer without a policy as the API says', async () => {
    functions.Authorize = () => ({ principalId: 'me' });
    const response = await fetch(`${url}/guarded/a`, { headers: { authorization: 'Bearer none' } });
    expect(await response.json()).toEqual({ code: 'AUTHORIZER_CONFIGURATION_ERROR' });
  });

  test('logs each request', async () => {
    await fetch(`${url}/echo/1?secret=1`);
    const { requestId } = eventsOf('Echo')[0].requestContext;
    expect(logs).toEqual([
      {
        method: 'GET',
        path: '/echo/1',
        status: 200,
        durationMs: expect.any(Number),
        requestId,
        functionName: expect.stringMatching(/^Small-Echo/),
      },
    ]);
  });
});

describe('a mock integration', () => {
  test('answers from its templates', async () => {
    const response = await fetch(`${url}/mock`, { method: 'DELETE' });
    const requestId = response.headers.get('x-amzn-requestid');

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, POST');
    expect(response.headers.get('request-id')).toBe(requestId);
    expect(await response.json()).toEqual({ id: requestId, cost: '$5' });
  });

  test('takes parameters of the content type for what they are', async () => {
    const headers = { 'Content-Type': 'Application/JSON; charset=utf-8' };
    const response = await fetch(`${url}/mock`, { method: 'PUT', body: '{}', headers });
    expect(response.status).toBe(405);
  });

  test('refuses a body of a type that it has no template for', async () => {
    const headers = { 'Content-Type': 'text/plain' };
    const response = await fetch(`${url}/mock`, { method: 'PUT', body: 'x', headers });
    expect(response.status).toBe(415);
  });
});

describe('a token authorizer', () => {
  // Results are cached for five minutes, so each test comes with a token of its own.
  let token: string;
  let count = 0;
  beforeEach(() => {
    count += 1;
    token = `Bearer token${count}`;
  });
  const get = (path: string, authorization?: string) =>
    fetch(url + path, { headers: authorization === undefined ? {} : { authorization } });

  test('is asked once, and its policy holds for every route', async () => {
    expect((await get('/guarded/a', token)).status).toBe(200);
    expect((await get('/guarded/b', token)).status).toBe(200);

    expect(eventsOf('Authorize')).toEqual([
      {
        type: 'TOKEN',
        authorizationToken: token,
        methodArn: expect.stringMatching(
          /^arn:aws:execute-api:us-east-1:000000000000:\w+\/v9\/GET\/guarded\/a$/,
        ),
      },
    ]);
    expect(eventsOf('Echo')[1].requestContext.authorizer).toEqual({
      principalId: 'me',
      level: '3',
      admin: 'true',
    });
  });

  test('allows with a cached policy only the method that the policy names', async () => {
    functions.Authorize = ({ methodArn }) => policy(methodArn);
    expect((await get('/guarded/a', token)).status).toBe(200);

    const response = await get('/guarded/b', token);
    expect(response.status).toBe(403);
    expect(logs.at(-1)?.error).toMatch(/: denied$/);
  });

  test('denies with a policy that denies', async () => {
    functions.Authorize = () => policy('*', 'Deny');
    const response = await get('/guarded/a', token);
    expect(response.status).toBe(403);
    expect(logs.at(-1)?.error).toMatch(/: denied explicitly$/);
  });

  test.each([undefined, '', 'Basic abc', 'Bearer not/valid'])(
    'does not call the function for the token %j',
    async (authorization) => {
      expect((await get('/guarded/a', authorization)).status).toBe(401);
      expect(calls).toEqual([]);
    },
  );

  test('turns the error Unauthorized into 401 and calls the authorizer again the next time', async () => {
    functions.Authorize = () => Promise.reject(new FunctionError('Error', 'Unauthorized'));
    expect((await get('/guarded/a', token)).status).toBe(401);
    functions.Authorize = () => policy('*');
    expect((await get('/guarded/a', token)).status).toBe(200);
  });

  test('turns any other error into 503', async () => {
    functions.Authorize = () => Promise.reject(new FunctionError('Error', 'a secret'));
    const response = await get('/guarded/a', token);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ code: 'AUTHORIZER_FAILURE' });
    expect(eventsOf('Echo')).toEqual([]);
  });
});

/** A request with exactly these headers, which fetch would rewrite. */
const send = async (
  method: string,
  path: string,
  headers: readonly string[],
  chunks: readonly Buffer[] = [],
): Promise<{ status: number | undefined; body: string }> => {
  const { host } = new URL(url);
  const outgoing = httpRequest(url + path, { method, headers: ['Host', host, ...headers] });
  const answered = once(outgoing, 'response');
  for (const chunk of chunks) outgoing.write(chunk);
  outgoing.end();
  const [response] = (await answered) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
};
