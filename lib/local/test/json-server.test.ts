import { expect, onTestFinished, test } from 'vitest';
import { startJsonServer } from '../server/json-server.ts';
import { ServiceError } from '../server/service-error.ts';

test.each([
  ['Service.Echo', '{"a":1}', 200, { a: 1 }],
  ['Service.Echo', '{', 400, { __type: 'SerializationException' }],
  ['Service.Echo', '7', 400, { __type: 'SerializationException' }],
  ['Service.Refuse', '{}', 400, { __type: 'LimitExceededException', message: 'Too much.' }],
  ['Service.Break', '{}', 500, { __type: 'InternalFailure', message: 'broken' }],
  ['Service.Other', '{}', 400, { __type: 'UnknownOperationException' }],
  ['toString', '{}', 400, { __type: 'UnknownOperationException' }],
])('a JSON server answers %s %s with %i and goes on', async (target, body, status, answer) => {
  const server = await startJsonServer({
    'Service.Echo': (input) => input,
    'Service.Refuse': () => {
      throw new ServiceError('LimitExceededException', 'Too much.');
    },
    'Service.Break': () => {
      throw new Error('broken');
    },
  });
  onTestFinished(() => server.stop());
  const send = () =>
    fetch(server.url, { method: 'POST', headers: { 'x-amz-target': target }, body });

  await send();
  const response = await send();
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/x-amz-json-1.1');
  expect(await response.json()).toMatchObject(answer);
});
