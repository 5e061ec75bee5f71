import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { LiveState } from '../../bin/reference/live-state.ts';
import { startReference } from '../../bin/reference/start-reference.ts';
import { problems } from '../../functions/domain/problem.ts';
import type { Listener } from '../../lib/local/local-engine.ts';
import { documentationTags } from '../../lib/openapi/guides.ts';
import { operations } from '../../lib/openapi/operations.ts';
import { stack } from '../support/running-stack.ts';
import { sendRequest } from '../support/send-request.ts';
import { closedPort, serverOf } from '../support/servers.ts';
import { newTenant } from '../support/tenants.ts';

const startFor = (api: string) =>
  startReference({ api, mailbox: stack.mailbox, live: new LiveState() });

const start = async (api: string) => {
  const { url, stop } = await startFor(api);
  onTestFinished(stop);
  return url;
};

let reference: Listener;
beforeAll(async () => {
  reference = await startFor(stack.url);
});
afterAll(() => reference.stop());

test('the server of the page forwards requests to the API, whose answers no other origin may read', async () => {
  const { token } = await newTenant();
  const url = await start(stack.url);
  const sender = { token, headers: { Origin: 'https://example.com' } };
  const create = { ...sender, key: 'one', body: { name: 'Forwarded' } };

  const created = await sendRequest(`${url}/v1/sandboxes`, 'POST', create);
  const listed = await sendRequest(`${url}/v1/sandboxes?limit=1`, 'GET', sender);

  expect(created.status).toBe(201);
  expect(listed.body.sandboxes).toMatchObject([{ name: 'Forwarded' }]);
  expect(listed.headers.get('access-control-allow-origin')).toBeNull();
  expect(listed.headers.get('request-id')).toMatch(/./);
});

test.each([
  ['PUT', '/v1/sandboxes', '{}', 405],
  ['GET', '/v1/a%2Fb', undefined, 404],
  ['POST', '/v1/sandboxes', '{', 401],
])('the server of the page forwards %s %s, errors included', async (method, path, raw, status) => {
  const response = await sendRequest(`${reference.url}${path}`, method, { raw });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/problem+json');
});

test('the server of the page forwards repeated headers as they are, both ways', async () => {
  const api = await serverOf(({ headersDistinct }, response) => {
    response
      .setHeader('X-Twice', ['one', 'two'])
      .end(headersDistinct['idempotency-key']?.join('|'));
  });
  const sent = request(`${await start(api)}/v1/sandboxes`, {
    headers: { 'Idempotency-Key': ['one', 'two'] },
  }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  expect(response.headersDistinct['x-twice']).toEqual(['one', 'two']);
  expect(await text(response)).toBe('one|two');
});

/** What answers a request of a client that has ended its side of the connection. */
const answerTo = (lines: readonly string[]): Promise<string> => {
  const socket = connect({
    port: Number(new URL(reference.url).port),
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  socket.end([...lines, 'Host: localhost', '', ''].join('\r\n'));
  return text(socket).finally(() => socket.destroy());
};

test('the server of the page answers a client that has ended its side, and ends the stream of a page that has', async () => {
  const forwarded = ['POST /v1/sandboxes HTTP/1.1', 'Expect: 100-continue', 'Connection: close'];
  expect(await answerTo(forwarded)).toMatch(/^HTTP\/1\.1 100 .*HTTP\/1\.1 401 /s);
  expect(await answerTo(['GET / HTTP/1.1', 'Connection: close'])).toMatch(/^HTTP\/1\.1 200 /);
  await answerTo(['GET /live HTTP/1.1']);
});

test('the server of the page answers 502 when the API is not there, many times at once', async () => {
  const url = await start(await closedPort());
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${url}/v1/sandboxes`)),
  );
  for (const { status, headers } of responses) {
    expect([status, headers.get('content-type')]).toEqual([502, 'application/problem+json']);
  }
});

test('the server of the page serves every file compressed, and once only', async () => {
  const url = `${reference.url}/reference/scalar.js`;

  const first = await fetch(url, { headers: { 'Accept-Encoding': 'br' } });
  const size = (await first.arrayBuffer()).byteLength;
  const again = await fetch(url, {
    headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
  });

  expect(first.headers.get('content-encoding')).toBe('br');
  expect(first.headers.get('cache-control')).toBe('no-cache');
  expect(Number(first.headers.get('content-length'))).toBeLessThan(size / 3);
  expect(again.status).toBe(304);
});

test('the server of the page has one for every code, and no others', async () => {
  const { url } = reference;
  for (const code of Object.keys(problems)) {
    const page = await fetch(`${url}/reference/problems/${code}.html`);
    expect(await page.text()).toContain(`url=../#tag/${code.replaceAll('_', '-')}`);
  }
  for (const path of ['/package.json', '/reference/problems/none.html', '/mails/dlv_none', '/v1']) {
    expect([path, (await fetch(`${url}${path}`)).status]).toEqual([path, 404]);
  }
});

test('llms.txt lists a Markdown page of each guide and operation, and every link leads on', async () => {
  const linksOf = async (url: URL, mediaType: string) => {
    const response = await fetch(url);
    expect([url.pathname, response.headers.get('content-type')]).toEqual([
      url.pathname,
      `${mediaType}; charset=utf-8`,
    ]);
    const links = (await response.text()).matchAll(/\[([^\]]+)\]\(([^)]+)\)/g);
    return [...links].map(([, title = '', to = '']) => ({ title, to: new URL(to, url) }));
  };
  const root = new URL(`${reference.url}/reference/llms.txt`);

  const listed = await linksOf(root, 'text/plain');

  expect(listed.map(({ title }) => title)).toEqual(
    expect.arrayContaining([
      ...documentationTags.guides.map(({ name }) => name),
      ...Object.values(operations).map(({ summary }) => summary),
    ]),
  );
  const addresses = listed.map(({ to }) => to.href);
  for (const { to } of listed) {
    for (const link of await linksOf(to, 'text/markdown')) {
      expect([root.href, ...addresses]).toContain(link.to.href);
    }
  }
});
