import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPartition } from '../../bin/admin/table/scan.ts';
import { openEventTap, tapOf } from '../../bin/smoke/event-tap.ts';
import { keys } from '../../functions/store/keys.ts';
import { findToken } from '../../functions/store/tokens.ts';
import { call } from '../support/http.ts';
import { service } from '../support/running-stack.ts';
import { newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';

const approve = ({ token, manager }: Tenant, id: string) =>
  call('POST', `/v1/payment-requests/${id}/approve`, { token, body: { approver: manager } });

test('an approval is kept with its token and its request', async () => {
  const tenant = await newTenant('test');
  const { id } = await newPaymentRequest(tenant.workspace);

  const responses = [await approve(tenant, id), await approve(tenant, id)];

  const items = await readPartition(keys.paymentRequest(id).pk);
  const actor = (await findToken(tenant.token))?.id;
  for (const { headers, body } of responses) {
    expect(items.find((each) => each.id === body.approvals.at(-1))).toMatchObject({
      type: 'APPROVAL',
      author: { actor, request: headers.get('request-id') },
    });
  }
});

test('an approval is published on the bus', async () => {
  const tenant = await newTenant('test');
  const { id } = await newPaymentRequest(tenant.workspace);
  const bus = String(service.eventBus);
  const name = tapOf(bus, service.run ?? randomUUID());
  const tap = await openEventTap(bus, name, tenant.workspace);
  try {
    const approved: string[] = [];
    const approveOnce = async () => {
      const { status, body } = await approve(tenant, id);
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
