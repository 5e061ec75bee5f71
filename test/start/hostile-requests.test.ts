import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { request as sendRequest } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { LiveState } from '../../bin/reference/live-state.ts';
import { startReference } from '../../bin/reference/start-reference.ts';
import { call } from '../support/http.ts';
import { stack } from '../support/running-stack.ts';
import { newTenant } from '../support/tenants.ts';

const live = new LiveState();
const reference = await startReference({ api: stack.url, mailbox: stack.mailbox, live });
afterAll(() => reference.stop());

/** The address of each server of the local run. */
const { sqs, eventbridge, secretsmanager } = stack.endpoints;
const servers = Object.entries({
  gateway: stack.url,
  queues: sqs,
  events: eventbridge,
  secrets: secretsmanager,
  mailbox: stack.mailbox,
  reference: reference.url,
});

const targets = [
  'AmazonSQS.SendMessage',
  'AmazonSQS.SendMessageBatch',
  'AmazonSQS.ReceiveMessage',
  'AmazonSQS.GetQueueAttributes',
  'AWSEvents.PutEvents',
  'secretsmanager.GetSecretValue',
  'secretsmanager.PutSecretValue',
  '__proto__',
];
const paths = ['/', '*', '/%', '/%ff%00', '/v1/offers/%e0%a4%a/resend', '//', '/__proto__', '/?%'];
const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'X-Tag'];
const bodies = [
  '',
  '{',
  'null',
  '7',
  '"\ud800"',
  '{"QueueUrl":7}',
  '{"QueueUrl":"/mail","MessageBody":7,"MessageAttributes":{"__proto__":null}}',
  '{"QueueUrl":"/mail","Entries":[null,{"Id":{}}]}',
  '{"Entries":{"length":3}}',
  '{"SecretId":{},"SecretString":[]}',
];

const request = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'OPTIONS', 'HEAD', 'CONNECT', 'NONSENSE'),
    path: fc.constantFrom(...paths),
    target: fc.constantFrom(...targets),
    header: fc.tuple(
      fc.constantFrom(...names),
      fc.oneof(fc.string(), fc.constantFrom('ÿ', 'x'.repeat(20_000))),
    ),
    body: fc.oneof(fc.constantFrom(...bodies), fc.string(), fc.json()),
    /** The bytes of the body that are not sent; the connection is closed instead. */
    missing: fc.constantFrom(0, 0, 0, 5),
  })
  .map(({ method, path, target, header: [name, value], body, missing }) => {
    const length = Buffer.byteLength(body) + missing;
    return [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `X-Amz-Target: ${target}`,
      `${name}: ${value}`,
      `Content-Length: ${length}`,
      '',
      body,
    ].join('\r\n');
  });

test.each(servers)('nothing that is sent ends the %s', async (_, url) => {
  await fc.assert(
    fc.asyncProperty(request, (sent) => sendRaw(url, sent)),
    { numRuns: 60 },
  );
  const { status } = await fetch(url);
  expect(status).toBeGreaterThanOrEqual(200);
});

const endpoints = [
  ...servers,
  ['operation of the gateway', `${stack.url}/v1/sandboxes`],
  ['API behind the reference', `${reference.url}/v1/sandboxes`],
  ['path that the reference does not have', `${reference.url}/none`],
] as const;

test.each(endpoints)('only names of this machine lead to the %s', async (_, url) => {
  const { port, pathname } = new URL(url);
  for (const own of [`127.0.0.1:${port}`, 'localhost', 'LocalHost:80', '[::1]:1']) {
    const { status } = await askAs(own, 'GET', url);
    expect([own, status === 403]).toEqual([own, false]);
  }
  for (const foreign of [
    `evil.example:${port}`,
    'localhost.evil.example',
    'a@localhost',
    '[::2]',
  ]) {
    for (const lines of [
      [`GET ${pathname} HTTP/1.1`, `Host: ${foreign}`],
      [`GET ${pathname} HTTP/1.0`, `Host: ${foreign}`],
      [`GET http://${foreign}${pathname} HTTP/1.1`, 'Host: localhost'],
    ]) {
      const answer = await exchange(url, [...lines, 'Connection: close']);
      expect(answer).toMatch(/^HTTP\/1\.1 403 /);
      expect(answer).toContain(`must be 127.0.0.1, localhost or [::1], not ${foreign}.`);
    }
  }
  for (const hosts of [['localhost', 'localhost'], ['localhost', 'evil.example'], []]) {
    const lines = [`GET ${pathname} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`)];
    const answer = await exchange(url, [...lines, 'Connection: close']);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain(`exactly one header Host, not ${hosts.length}.`);
  }
});

test.each(endpoints)('every form of a request leads to the %s', async (_, url) => {
  const { host, pathname } = new URL(url);
  const { status } = await fetch(url);
  const end = 'Connection: close';
  for (const lines of [
    [`GET ${pathname} HTTP/1.0`],
    [`GET ${pathname} HTTP/1.0`, `Host: ${host}`],
    [`GET http://${host}${pathname} HTTP/1.1`, `Host: ${host}`, end],
    [`GET HTTP://LocalHost${pathname}?a=http://b HTTP/1.1`, `Host: ${host}`, end],
    [`GET http://localhost${pathname === '/' ? '' : pathname} HTTP/1.0`],
  ]) {
    expect([lines, await exchange(url, lines)]).toEqual([
      lines,
      expect.stringMatching(`^HTTP/1.1 ${status} `),
    ]);
  }
});

test.each(endpoints.filter(([, url]) => !url.startsWith(reference.url)))(
  'a client that has closed its side of the connection gets the answer of the %s',
  async (_, url) => {
    const { host, pathname } = new URL(url);
    const { status } = await fetch(url);
    const get = `GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    for (const requests of [get, get + get]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').end(requests);
      const answers = (await text(socket)).match(/HTTP\/1\.1 \d+/g);
      expect(answers).toEqual(requests.match(/^GET/gm)?.map(() => `HTTP/1.1 ${status}`));
    }
  },
);

test('a request under another name creates nothing', async () => {
  const { token } = await newTenant();
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const create = (host: string, url: string) =>
    askAs(host, 'POST', `${url}/v1/sandboxes`, headers, '{"name":"One"}');

  for (const url of [stack.url, reference.url]) {
    expect((await create('evil.example', url)).status).toBe(403);
    expect((await create('localhost', url)).status).toBe(201);
  }
  const { body } = await call('GET', '/v1/sandboxes', { token });
  expect(body.sandboxes).toHaveLength(2);
});

const askAs = async (
  Host: string,
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body = '',
) => {
  const answer = await sendRequest(url, { method, headers: { ...headers, Host }, body });
  await answer.body.dump();
  return { status: answer.statusCode };
};

/** Sends a request without a body, and resolves with all that comes back. */
const exchange = (url: string, lines: readonly string[]): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return text(socket);
};

/** Sends the text and hangs up when the server has answered, or when it waits for more. */
const sendRaw = async (url: string, sent: string) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  const closed = once(socket, 'close');
  socket.resume().write(sent, 'latin1');
  await Promise.race([closed, sleep(100)]);
  socket.destroy();
  await closed;
};
