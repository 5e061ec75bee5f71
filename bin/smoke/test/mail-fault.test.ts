import { expect, test, vi } from 'vitest';
import { serverOf } from '../../../test/support/servers.ts';
import { mailFaultOf } from '../mail-fault.ts';

test.each([
  [200, { VerifiedForSendingStatus: true }, /^$/],
  [200, { VerifiedForSendingStatus: false }, /^SES has not verified company\.example: open/],
  [404, { message: 'No such identity.' }, /^The identity company\.example .+No such identity/],
])('an identity with %i %j', async (status, body, fault) => {
  const asked: unknown[] = [];
  const ses = await serverOf(({ url }, response) => {
    asked.push(url);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  });
  vi.stubEnv('AWS_ENDPOINT_URL_SESV2', ses);
  const settings = { sender: 'offers@company.example', senderIdentity: 'company.example' };
  expect((await mailFaultOf(settings)) ?? '').toMatch(fault);
  expect(asked).toEqual(['/v2/email/identities/company.example']);
});

test('a stage without a sender sends no mail', async () => {
  expect(await mailFaultOf({})).toMatch(/has no sender/);
});
