import { expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import { waitingOffer } from '../support/deliveries.ts';
import { eventually } from '../support/eventually.ts';
import { useFaultyStack } from '../support/faulty-stack.ts';
import { approve, create, resend } from '../support/keyed-operations.ts';
import { mailEvent } from '../support/mail-events.ts';
import { newOffer, newPaymentRequest } from '../support/tenants.ts';

const { faulty, tenant, send } = useFaultyStack();

test('log lines say which request, whose and how it ended, and nothing that was sent', async () => {
  const reason = 'Confidential reason';
  const { id } = await newPaymentRequest(tenant.workspace);
  const offer = await newOffer(tenant.workspace);
  const { manager } = tenant;

  const answers = [
    await send(approve, { id, manager, reason }, 'secret-key'),
    await send(approve, { id, manager: 'nobody', reason }, 'secret-key'),
    await send(approve, { id: 'ptr_unknown', manager, reason }, 'secret-key'),
    await send(resend, { id: offer.id }, 'secret-key'),
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
  await send(create, { name: 'Logged' });
  await send(resend, { id: attempt.offer });
  faulty.stack.queues.send(faulty.queue('MailEventsQueue'), {
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
