import { type KeptMail, mailsIn } from '../../bin/reference/mails.ts';
import { service } from './running-stack.ts';

/** The mails for an address, in the mailbox of the tests' service unless another one is given. */
export const mailsTo = async (
  address: string,
  mailbox = service.mailbox ?? '',
): Promise<KeptMail[]> =>
  (await mailsIn(mailbox)).filter(({ destination }) => destination.to.includes(address));
