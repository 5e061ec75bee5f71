import { expect, test } from 'vitest';
import { loadOfferPartition } from '../../bin/admin/table/offers.ts';
import { requireMail } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { newOffer, newTenant } from '../support/tenants.ts';

/**
 * The addresses of Amazon SES's mailbox simulator, and what becomes of a mail to each. They work in
 * the SES sandbox too, and count for no reputation (SES Developer Guide, "Using the mailbox
 * simulator"). Labels and cases of letters make no difference, and a bounce has a reason.
 */
const mails = [
  ['success@simulator.amazonses.com', 'delivered'],
  ['bounce@simulator.amazonses.com', 'bounced'],
  ['complaint@simulator.amazonses.com', 'complained'],
  ['suppressionlist@simulator.amazonses.com', 'bounced'],
  ['bounce+offer-1.x@Simulator.AmazonSES.com', 'permanent'],
  ['suppressionlist@simulator.amazonses.com', 'suppressed'],
];

test.each(mails)('a mail to %s is recorded as %s', async (address, result) => {
  requireMail();
  const { workspace, token } = await newTenant();
  const { id } = await newOffer(workspace, { recipient_email: address });

  const { status, body } = await call('POST', `/v1/offers/${id}/resend`, { token });

  const { attempts, last_attempt } = body.delivery;
  expect([status, attempts, last_attempt.status]).toEqual([200, 1, 'queued']);
  const statusAndReason = async () => {
    const [attempt] = (await loadOfferPartition(id)).attempts;
    return [attempt?.status, attempt?.reason];
  };
  await expect.poll(statusAndReason).toContain(result);
});
