import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openEventTap } from '../../bin/smoke/event-tap.ts';
import { tapMark, tapOf } from '../../bin/smoke/owned.ts';
import { ownPartitions } from '../../bin/testing/given-service.ts';
import { newPaymentRequest, newTenant } from '../../bin/testing/tenants.ts';
import { call } from '../support/http.ts';
import { service } from '../support/running-stack.ts';

test('an approval is published on the bus', async () => {
  const { workspace, token, manager: approver } = await newTenant('test');
  const { id } = await newPaymentRequest(workspace);
  const path = `/v1/payment-requests/${id}/approve`;
  ownPartitions(tapMark);
  const bus = String(service.eventBus);
  const tap = await openEventTap(bus, tapOf(bus, service.run ?? randomUUID()));
  try {
    const approved: string[] = [];
    const approveOnce = async () => {
      const { status, body } = await call('POST', path, { token, body: { approver } });
      expect(status).toBe(200);
      approved.push(body.approvals.at(-1));
    };
    await approveOnce();
    // Again and again, because a new rule misses the first events.
    const published = async () => {
      await approveOnce();
      const events = await tap.receive();
      return events.filter(
        ({ type, data }) =>
          type === 'payment_request.approved' && approved.includes(data.approval.id),
      );
    };
    await expect.poll(published).not.toEqual([]);
  } finally {
    await tap.close();
  }
});
