import { expect, test } from 'vitest';
import { DeliveryAttempt, Offer } from '../../functions/domain/offer.ts';
import { Manager, PaymentRequest } from '../../functions/domain/payment-request.ts';
import { fixtures, newSandbox, sandboxManager } from '../../functions/domain/sandbox.ts';
import { Workspace } from '../../functions/domain/workspace.ts';

const now = '2026-11-01T10:00:00.000Z';
const fixturesOf = (opaque: string) =>
  fixtures(newSandbox('wsp_1', { name: 'Try' }, opaque, now), now);

test('the fixtures of a sandbox are whole, and belong to a test workspace and an account of its own', () => {
  const opaque = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  const { workspace, manager, paymentRequest, offer, delivery } = fixturesOf(opaque);
  expect(Workspace.parse(workspace)).toEqual(workspace);
  expect(Manager.parse(manager)).toEqual(manager);
  expect(PaymentRequest.parse(paymentRequest)).toEqual(paymentRequest);
  expect(Offer.parse(offer)).toEqual(offer);
  expect(DeliveryAttempt.parse(delivery)).toEqual(delivery);
  expect(workspace).toMatchObject({ id: `wsp_test_${opaque}`, owner: 'wsp_1' });
  expect(manager).toMatchObject({ id: sandboxManager, account: workspace.account });
  expect([delivery.offer, offer.attempts]).toEqual([offer.id, 1]);
  for (const { id } of [workspace, paymentRequest, offer, delivery]) expect(id).toContain(opaque);
  expect(workspace.account).toContain(opaque);
});
