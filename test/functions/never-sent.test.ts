import { Agent } from 'node:http';
import { Socket } from 'node:net';
import { HttpRequest } from '@smithy/core/protocols';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, test } from 'vitest';
import { isUnavailable } from '../../functions/store/availability.ts';
import { wasNeverSent } from '../../functions/store/observing-handler.ts';
import { closedAddress, serverOf } from '../support/servers.ts';

/** The error with which the SDK's own HTTP handler fails a request. */
const failureOf = async (
  url: string,
  options: ConstructorParameters<typeof NodeHttpHandler>[0],
) => {
  const { hostname, port } = new URL(url);
  const request = new HttpRequest({ protocol: 'http:', hostname, port: Number(port), path: '/' });
  return new NodeHttpHandler(options).handle(request).then(
    () => undefined,
    (error: Error) => error,
  );
};

test.each([
  ['no server listens', () => failureOf(closedAddress, {})],
  ['the name does not exist', () => failureOf('http://nowhere.invalid', {})],
  [
    'no connection comes about in time',
    () => {
      class Never extends Agent {
        override createConnection() {
          return Object.defineProperty(new Socket(), 'connecting', { value: true });
        }
      }
      const httpAgent = new Never();
      return failureOf('http://127.0.0.1', { httpAgent, connectionTimeout: 50 });
    },
  ],
])('a request was never sent when %s', async (_, fail) => {
  const error = await fail();
  expect(error).toBeInstanceOf(Error);
  expect(wasNeverSent(error as Error)).toBe(true);
});

test.each([
  ['the connection breaks', {}, (response: { destroy: () => void }) => response.destroy()],
  ['no response comes in time', { requestTimeout: 50, throwOnRequestTimeout: true }, () => {}],
])('a request may have been sent when %s', async (_, options, respond) => {
  const url = await serverOf((request, response) => {
    request.resume();
    respond(response);
  });
  const error = await failureOf(url, options);
  expect(error).toBeInstanceOf(Error);
  expect(wasNeverSent(error as Error)).toBe(false);
});

// The networks of the tests make few of these.
test.each([
  ['ECONNREFUSED', true],
  ['ENOTFOUND', true],
  ['EAI_AGAIN', true],
  ['EHOSTUNREACH', true],
  ['ENETUNREACH', true],
  ['ECONNRESET', false],
  ['EPIPE', false],
  ['ETIMEDOUT', false],
])('%s is a lack of AWS, and it is %s that nothing was sent', (code, neverSent) => {
  const error = Object.assign(new Error(`connect ${code}`), { code });
  expect([isUnavailable(error), wasNeverSent(error)]).toEqual([true, neverSent]);
});
