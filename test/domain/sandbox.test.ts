import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeliveryAttempt, Offer } from '../../functions/domain/offer.ts';
import { Manager, PaymentRequest } from '../../functions/domain/payment-request.ts';
import { fixtures, sandboxManager } from '../../functions/domain/sandbox.ts';
import { Workspace } from '../../functions/domain/workspace.ts';
import { provisioningSandbox, timestamp } from '../support/arbitraries.ts';

describe('the fixtures of a sandbox', () => {
  test('are whole, and belong to one test workspace and one account of its own', () => {
    fc.assert(
      fc.property(provisioningSandbox, timestamp, (sandbox, now) => {
        const { workspace, manager, paymentRequest, offer, delivery } = fixtures(sandbox, now);

        expect(Workspace.parse(workspace)).toEqual(workspace);
        expect(Manager.parse(manager)).toEqual(manager);
        expect(PaymentRequest.parse(paymentRequest)).toEqual(paymentRequest);
        expect(Offer.parse(offer)).toEqual(offer);
        expect(DeliveryAttempt.parse(delivery)).toEqual(delivery);
        expect(workspace.id).toBe(sandbox.sandbox_workspace);
        expect(manager).toMatchObject({ id: sandboxManager, account: workspace.account });
        expect(delivery.offer).toBe(offer.id);
        expect(offer.attempts).toBe(1);
      }),
    );
  });

  test('of two sandboxes have nothing in common', () => {
    fc.assert(
      fc.property(provisioningSandbox, provisioningSandbox, timestamp, (one, two, now) => {
        fc.pre(one.id !== two.id);
        const names = [one, two].map((sandbox) => {
          const { workspace, paymentRequest, offer, delivery } = fixtures(sandbox, now);
          return [workspace.id, workspace.account, paymentRequest.id, offer.id, delivery.id];
        });
        expect(new Set(names.flat()).size).toBe(10);
      }),
    );
  });
});
