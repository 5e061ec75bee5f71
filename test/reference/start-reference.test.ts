import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { startReference } from '../../bin/reference/start-reference.ts';
import { closedPort, serverOf } from '../support/servers.ts';
import { stack } from '../support/stack.ts';
import { newTenant } from '../support/tenants.ts';

const start = async (api: string) => {
  const { url, stop } = await startReference({ api, mailbox: 'http://mailbox', queues: {} });
  onTestFinished(stop);
  return url;
};

test('hands requests and answers on as they are', async () => {
  const api = await serverOf(async (request, response) => {
    const seen = { url: request.url, method: request.method, headers: request.headersDistinct };
    response.writeHead(418, { 'X-One': ['a', 'b'], 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ ...seen, body: await text(request) }));
  });
  const url = await start(api);

  const call = openRequest(`${url}/v1/a%2Fb?c=d&c=e`, {
    method: 'PUT',
    headers: { 'Idempotency-Key': ['one', 'two'] },
  });
  const answered = once(call, 'response');
  call.end('a body');
  const [answer] = await answered;

  expect(answer.statusCode).toBe(418);
  expect(answer.headersDistinct['x-one']).toEqual(['a', 'b']);
  expect(JSON.parse(await text(answer))).toMatchObject({
    url: '/v1/a%2Fb?c=d&c=e',
    method: 'PUT',
    headers: { 'idempotency-key': ['one', 'two'] },
    body: 'a body',
  });
});

test('offers the API, whose answers no other origin may read', async () => {
  const { token } = await newTenant();
  const url = await start(stack.url);

  const response = await fetch(`${url}/v1/sandboxes`, {
    headers: { Authorization: `Bearer ${token}`, Origin: 'https://example.com' },
  });

  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ sandboxes: [] });
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
});

test('answers 502 when the API is not there', async () => {
  const response = await fetch(`${await start(await closedPort())}/v1/sandboxes`);

  expect(response.status).toBe(502);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
});

test('serves the document for its own origin, with no example for what may be left out', async () => {
  const url = await start(stack.url);

  const response = await fetch(`${url}/openapi.json`);
  // biome-ignore lint/suspicious/noExplicitAny: a document of many shapes.
  const { servers, paths, components } = (await response.json()) as any;

  expect(servers).toEqual([{ url }]);
  expect(paths['/v1/offers/{id}/resend'].post.parameters[0].example).toBe('ofr_sent');
  expect(paths['/v1/sandboxes'].get.parameters[1]).not.toHaveProperty('example');
  expect(components.parameters.IdempotencyKey).not.toHaveProperty('example');
});

test('leads to the mailbox, and knows no other pages', async () => {
  const url = await start(stack.url);

  const mailbox = await fetch(`${url}/mailbox`, { redirect: 'manual' });
  expect(mailbox.headers.get('location')).toBe('http://mailbox');
  expect((await fetch(`${url}/package.json`)).status).toBe(404);
  expect((await fetch(`${url}/v1`)).status).toBe(404);
});
