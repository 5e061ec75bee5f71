import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { LiveState } from '../../bin/reference/live-state.ts';
import { startReference } from '../../bin/reference/start-reference.ts';
import { call } from '../support/http.ts';
import { rawRequest } from '../support/raw-request.ts';
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
    fc.asyncProperty(request, (text) => sendRaw(url, text)),
    { numRuns: 60 },
  );
  const { status } = await fetch(url);
  expect(status).toBeGreaterThanOrEqual(200);
});

/** The servers of AWS have their own types; the others answer in JSON. */
const errorTypes: Readonly<Record<string, string>> = {
  gateway: 'application/problem+json',
  queues: 'application/x-amz-json-1.0',
  events: 'application/x-amz-json-1.1',
  secrets: 'application/x-amz-json-1.1',
  mailbox: 'application/json',
};

test.each([
  ...servers,
  ['API behind the reference', `${reference.url}/v1/sandboxes`],
  ['path that the reference does not have', `${reference.url}/none`],
] as const)('only names of this machine lead to the %s', async (name, url) => {
  const { port } = new URL(url);
  for (const own of [`127.0.0.1:${port}`, 'localhost', 'LocalHost:80', '[::1]:1']) {
    const { status } = await askAs(own, 'GET', url);
    expect([own, status === 403]).toEqual([own, false]);
  }
  const type = errorTypes[name] ?? 'application/json; charset=utf-8';
  for (const foreign of [
    `evil.example:${port}`,
    'localhost.evil.example',
    'a@localhost',
    '[::2]',
  ]) {
    expect(await askAs(foreign, 'GET', url)).toEqual({ status: 403, type });
  }
});

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
  const answer = await rawRequest(url, { method, headers: { ...headers, Host } }, body);
  return { status: answer.status, type: answer.headers.get('content-type') };
};

/** Sends the text and hangs up when the server has answered, or when it waits for more. */
const sendRaw = async (url: string, text: string) => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  const closed = once(socket, 'close');
  socket.resume().write(text, 'latin1');
  await Promise.race([closed, sleep(100)]);
  socket.destroy();
  await closed;
};
