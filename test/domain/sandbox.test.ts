import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DeliveryAttempt, Offer, resend } from '../../functions/domain/offer.ts';
import { approve, Manager, PaymentRequest } from '../../functions/domain/payment-request.ts';
import {
  CreateSandbox,
  fixtures,
  newSandbox,
  Sandbox,
  sandboxManager,
} from '../../functions/domain/sandbox.ts';
import { Workspace } from '../../functions/domain/workspace.ts';
import {
  opaque,
  ordered,
  plainText,
  provisioningSandbox,
  timestamp,
} from '../support/arbitraries.ts';

describe('CreateSandbox', () => {
  const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\u00a0', '\u3000') });
  const trimmed = plainText(1, 255).filter((name) => name.trim() === name);

  test('takes a name of 1 to 255 characters without the white space around it', () => {
    fc.assert(
      fc.property(space, trimmed, space, (before, name, after) => {
        expect(CreateSandbox.parse({ name: before + name + after })).toEqual({ name });
      }),
    );
  });
});

test('a new sandbox is provisioning and shares its opaque part with its test workspace', () => {
  fc.assert(
    fc.property(plainText(1, 255), opaque, ordered, timestamp, (name, owner, id, now) => {
      const sandbox = newSandbox(`wsp_${owner}`, { name }, id, now);

      expect(sandbox).toEqual({
        id: `sbx_${id}`,
        name,
        status: 'provisioning',
        workspace: `wsp_${owner}`,
        sandbox_workspace: `wsp_test_${id}`,
        created: now,
        updated: now,
      });
      expect(Sandbox.parse(sandbox)).toEqual(sandbox);
    }),
  );
});

describe('fixtures', () => {
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

  test('can be approved and sent again', () => {
    fc.assert(
      fc.property(provisioningSandbox, timestamp, ordered, (sandbox, now, id) => {
        const { manager, paymentRequest, offer } = fixtures(sandbox, now);
        const approval = {
          id: `apprdec_${id}`,
          payment_request: paymentRequest.id,
          approver: manager.id,
          created: now,
        };
        const attempt = {
          id: `dlv_${id}`,
          offer: offer.id,
          status: 'queued',
          created: now,
          updated: now,
        } as const;

        expect(approve(paymentRequest, manager, approval).status).toBe('approved');
        expect(resend(offer, attempt).attempts).toBe(2);
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
