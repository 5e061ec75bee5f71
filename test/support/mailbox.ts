import { stack } from './stack.ts';

export interface Mail {
  readonly from: string;
  readonly destination: { readonly to: readonly string[] };
  readonly subject: string;
  readonly body: { readonly text?: string; readonly html?: string };
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

/** The mails that have arrived for an address. */
export const mailsTo = async (address: string): Promise<Mail[]> => {
  const { emails } = (await (await fetch(`${stack.mailbox}/store`)).json()) as { emails: Mail[] };
  return emails.filter(({ destination }) => destination.to.includes(address));
};
