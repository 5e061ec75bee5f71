import { type Mail, mailsIn } from '../../bin/reference/mails.ts';
import { service } from './stack.ts';

/** The mails that have arrived for an address, in the tests' service unless told otherwise. */
export const mailsTo = async (address: string, mailbox = service.mailbox ?? ''): Promise<Mail[]> =>
  (await mailsIn(mailbox)).filter(({ destination }) => destination.to.includes(address));
