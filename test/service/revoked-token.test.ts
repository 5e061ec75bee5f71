import { expect, test } from 'vitest';
import { given } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { newTenant, newToken, revoke } from '../support/tenants.ts';

test('a token that is revoked while in use ends with the cache time', async ({ skip }) => {
  skip(!given, 'It waits for a minute: bin/wfp smoke does.');
  const token = await newToken(await newTenant());
  const list = () => call('GET', '/v1/sandboxes', { token });
  expect((await list()).status).toBe(200);
  await revoke(token);
  await expect.poll(list).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
});
