export interface KeptMail {
  readonly from: string;
  readonly destination: { readonly to: readonly string[] };
  readonly subject: string;
  readonly body: { readonly text?: string; readonly html?: string };
  readonly headers?: readonly { readonly name: string; readonly value: string }[];
}

export const mailsIn = async (mailbox: string): Promise<KeptMail[]> => {
  const response = await fetch(`${mailbox}/store`);
  const { emails } = (await response.json()) as { emails: KeptMail[] };
  return emails;
};

/** The id of the delivery attempt that a mail is of. */
export const attemptOf = ({ headers = [] }: KeptMail): string =>
  headers.find(({ name }) => name === 'X-Delivery-Attempt')?.value ?? '';

/** The mail of a delivery attempt, as far as it is shown. */
export const findMail = async (mailbox: string, attempt: string) => {
  const found = (await mailsIn(mailbox)).find((mail) => attemptOf(mail) === attempt);
  if (!found) return undefined;
  const { subject, from, destination, body } = found;
  return { subject, from, to: destination.to, text: body.text ?? '' };
};
