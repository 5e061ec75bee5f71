import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { stack } from '../../../test/support/running-stack.ts';
import { startReference } from '../../reference/start-reference.ts';

const { url, mailbox, endpoints } = stack;
const reference = await startReference({ api: url, mailbox, snapshot: () => ({}) });
afterAll(() => reference.stop());

/** The address of each server of the local run. */
const servers = Object.entries({
  gateway: url,
  queues: endpoints.sqs,
  events: endpoints.eventbridge,
  mailbox,
  reference: reference.url,
  'API behind the reference': `${reference.url}/v1/sandboxes`,
});

test.each(servers)('only names of this machine lead to the %s', async (_, address) => {
  const { port, pathname } = new URL(address);
  const statusFor = async (host: string) => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    return Number((await text(socket)).split(' ')[1]);
  };
  for (const own of [`127.0.0.1:${port}`, 'localhost', 'LocalHost:80', '[::1]:1']) {
    expect([own, await statusFor(own)]).not.toEqual([own, 403]);
  }
  for (const foreign of [`evil.example:${port}`, 'localhost.evil.example', '[::2]']) {
    expect([foreign, await statusFor(foreign)]).toEqual([foreign, 403]);
  }
});

test('the API behind the reference closes the connection of a client that sends `Connection: close`', async () => {
  const sent = request(`${reference.url}/v1/sandboxes`, { headers: { Connection: 'close' } }).end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response?.resume();
  expect(response?.headers.connection).toBe('close');
});
