import { PaymentRequest } from '../../../functions/domain/payment-request.ts';
import { requireProblem, requireSuccess } from '../call.ts';
import { type Check, requireWorld } from '../check.ts';
import { expectEqual } from '../expect.ts';
import { approvePath } from '../operations.ts';
import { newPaymentRequest } from '../world.ts';

/** Approvals, and who may approve. */
export const approvals: readonly Check[] = [
  {
    name: 'approve',
    proves: 'a payment request in any status is approved, and lists every approval',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const { token, manager } = world.live;
      for (const status of PaymentRequest.shape.status.options) {
        const request = await newPaymentRequest(world, world.live, { status });
        const approvals: string[] = [];
        for (const body of [
          { approver: manager.toUpperCase() },
          { approver: manager, reason: 'Smoke test' },
        ]) {
          const answer = await call('POST', approvePath(request.id), { token, body });
          const approved = requireSuccess<PaymentRequest>(answer, 200);
          approvals.push(approved.approvals.at(-1) ?? '');
          expectEqual(`A ${status} payment request that was approved`, approved, {
            ...request,
            status: 'approved',
            approvals,
          });
        }
        expectEqual('Different approvals', new Set(approvals).size, 2);
      }
      return undefined;
    },
  },
  {
    name: 'not_a_manager',
    proves: 'only a manager of the account may approve',
    run: async (context) => {
      const { call } = context;
      const world = requireWorld(context);
      const { id } = await newPaymentRequest(world, world.live);
      const sent = { token: world.live.token, body: { approver: world.other.manager } };
      requireProblem(await call('POST', approvePath(id), sent), 'not_a_manager');
      return undefined;
    },
  },
];
