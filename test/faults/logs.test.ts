import { expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import { waitingOffer } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { mailEvent } from '../support/mail-events.ts';
import { newOffer, newPaymentRequest } from '../support/tenants.ts';

const { faulty, tenant } = useFaultyStack();

test('log lines say which request, whose and how it ended, and nothing that was sent', async () => {
  const reason = 'Confidential reason';
  const { id } = await newPaymentRequest(tenant.workspace);
  const offer = await newOffer(tenant.workspace);
  const post = (path: string, body?: unknown) =>
    faulty.call('POST', path, { token: tenant.token, body, key: 'secret-key' });

  const answers = [
    await post(`/v1/payment-requests/${id}/approve`, { approver: tenant.manager, reason }),
    await post(`/v1/payment-requests/${id}/approve`, { approver: 'nobody', reason }),
    await post('/v1/payment-requests/ptr_unknown/approve', { approver: tenant.manager, reason }),
    await post(`/v1/offers/${offer.id}/resend`),
  ];
  await eventually(async () => faulty.logs.some((line) => line.includes('"delivery":"dlv_')));

  for (const { headers, body } of answers) {
    const line = await eventually(async () =>
      faulty.logs.find((each) => each.includes(`${headers.get('request-id')}`)),
    );
    expect(JSON.parse(line)).toMatchObject({
      workspace: tenant.workspace,
      ...(body.code ? { code: body.code } : { status: 200 }),
    });
  }
  const lines = faulty.logs.join('\n');
  for (const secret of [reason, tenant.token, offer.recipient_email, 'secret-key']) {
    expect(lines).not.toContain(secret);
  }
});

test('each line of a function says which call it was, of which function and for whom', async () => {
  const { attempt } = await waitingOffer(tenant.workspace, { status: 'sent' });
  await faulty.call('POST', '/v1/sandboxes', { token: tenant.token, body: { name: 'Logged' } });
  await faulty.call('POST', `/v1/offers/${attempt.offer}/resend`, { token: tenant.token });
  const events = faulty.stack.queues.names().find((name) => name.includes('MailEventsQueue'));
  faulty.stack.queues.send(events ?? '', {
    body: mailEvent(attempt, 'delivery', tenant.workspace),
  });
  const wanted = [
    'create-sandbox',
    'resend-offer',
    'provision-sandbox',
    'deliver-offer',
    'record-mail-event',
  ];

  const lines = await eventually(async () => {
    const all = faulty.logs.filter((line) => line.startsWith('{"level"'));
    return wanted.every((name) => all.some((line) => line.includes(name))) && all;
  });

  for (const line of lines) {
    expect(JSON.parse(line)).toMatchObject({
      service: expect.any(String),
      request_id: expect.any(String),
      workspace: tenant.workspace,
    });
  }
});

test('the table holds no token, only hashes', async () => {
  expect(JSON.stringify(await Array.fromAsync(scan()))).not.toContain(tenant.token);
});
