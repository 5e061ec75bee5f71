import type { MailEventName } from '../admin/events/ses-event.ts';

/**
 * The addresses of Amazon SES's mailbox simulator, and what SES reports of a mail to each. They
 * work in the SES sandbox too, and count for no reputation (SES Developer Guide, "Using the mailbox
 * simulator").
 */
export const simulatorFates: ReadonlyMap<string, MailEventName> = new Map([
  ['success@simulator.amazonses.com', 'delivered'],
  ['bounce@simulator.amazonses.com', 'bounced'],
  ['complaint@simulator.amazonses.com', 'complained'],
]);
