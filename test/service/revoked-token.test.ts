import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { given } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { newTenant, newToken, revoke } from '../support/tenants.ts';

test('a token that is revoked while in use ends with the cache time', async ({ skip }) => {
  skip(!given, 'It waits for a minute: npm run smoke does.');
  const token = await newToken(await newTenant());
  expect((await call('GET', '/v1/sandboxes', { token })).status).toBe(200);
  await revoke(token);
  const refused = await eventually(async () => {
    const answer = await call('GET', '/v1/sandboxes', { token });
    return answer.status !== 200 && answer;
  });
  expect([refused.status, refused.body.code]).toEqual([401, 'unauthenticated']);
});
