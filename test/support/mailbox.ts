import { type Mail, mailsIn } from './mails.ts';
import { stack } from './stack.ts';

/** The mails that have arrived for an address, in the shared service unless told otherwise. */
export const mailsTo = async (address: string, mailbox = stack.mailbox): Promise<Mail[]> =>
  (await mailsIn(mailbox)).filter(({ destination }) => destination.to.includes(address));
