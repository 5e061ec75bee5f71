import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { call, callFromAnyWorkspace } from '../support/http.ts';
import { usableTenant } from '../support/tenants.ts';

/** A response lists every approval, and Lambda returns 6 MB at most. */
const mostApprovals = 10_000;

test('a payment request of a test workspace is approved once for each key', async () => {
  const { token, manager, request } = await usableTenant();
  const [body, key] = [{ approver: manager, reason: 'Tested' }, randomUUID()];
  const approve = (options: { readonly key?: string }) =>
    call('POST', `/v1/payment-requests/${request}/approve`, { token, body, ...options });

  const [first, replayed, another] = [
    await approve({ key }),
    await approve({ key }),
    await approve({}),
  ];

  expect([first, replayed, another].map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(replayed.text).toBe(first.text);
  expect(replayed.headers.get('idempotent-replayed')).toBe('true');
  // Other runs may approve it meanwhile.
  const added = another.body.approvals.length - first.body.approvals.length;
  expect(added).toBeGreaterThanOrEqual(1);
  expect(another.body).toMatchObject({ id: request, status: 'approved' });
  expect(
    another.body.approvals.length,
    'Replace the standing test workspace: lib/DEPLOY.md#deploy-from-ci.',
  ).toBeLessThan(mostApprovals);
});

test('an offer of a test workspace is sent again once for each key', async () => {
  const { token, offer } = await usableTenant();
  const key = randomUUID();
  const resend = () => call('POST', `/v1/offers/${offer}/resend`, { token, key });

  const [first, replayed] = [await resend(), await resend()];

  expect([first.status, replayed.status]).toEqual([200, 200]);
  expect(replayed.text).toBe(first.text);
  expect(first.body.delivery.last_attempt.status).toBe('queued');
});

test.each([
  ['POST', { name: 'Nested' }],
  ['GET', undefined],
])('%s /v1/sandboxes is refused to a test workspace', async (method, body) => {
  const { token } = await usableTenant();
  const refused = await callFromAnyWorkspace(method, '/v1/sandboxes', { token, body });
  expect([refused.status, refused.body.code]).toEqual([403, 'live_workspace_required']);
});
