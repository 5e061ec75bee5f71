import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import { publishMailEvent } from '../../bin/admin/events/ses-event.ts';
import { loadOffer } from '../../bin/admin/table/offers.ts';
import { simulatorFates } from '../../bin/smoke/owned.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http.ts';
import { service } from '../support/running-stack.ts';
import { newOffer, newTenant } from '../support/tenants.ts';

test.each([...simulatorFates])('a mail to %s is recorded as %s', async (address, fate) => {
  const { workspace, token } = await newTenant();
  const { id } = await newOffer(workspace, { recipient_email: address });

  const { status, body } = await call('POST', `/v1/offers/${id}/resend`, { token });

  const { attempts, last_attempt } = body.delivery;
  expect([status, attempts, last_attempt.status]).toEqual([200, 1, 'queued']);
  const attempt = await eventually(async () => {
    const [found] = (await loadOffer(id)).attempts;
    return found && !['queued', 'sending'].includes(found.status) && found;
  });
  // SES fails the mails of a sender that is not verified.
  expect([attempt.status, attempt.reason]).not.toContain('failed');
  if (service.mailbox) {
    // The local run has no recipients: the test sends the event in the place of SES.
    await publishMailEvent(
      { eventBridge: new EventBridgeClient() },
      {
        event: fate,
        bounceType: 'permanent',
        workspace,
        attempt,
        recipient: address,
        configurationSet: service.mailConfigurationSet ?? '',
      },
    );
  }
  await eventually(async () => (await loadOffer(id)).attempts[0]?.status === fate);
});
