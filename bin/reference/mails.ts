import * as z from 'zod';

/** What the local mailbox keeps of a mail, as far as it is shown. */
const Mail = z.object({
  from: z.string(),
  destination: z.object({ to: z.array(z.string()) }),
  subject: z.string(),
  body: z.object({ text: z.string().default('') }),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
});

/** The mail of a delivery attempt, which its header names. */
export const findMail = async (mailbox: string, attempt: string) => {
  const response = await fetch(`${mailbox}/store`);
  const { emails } = z.object({ emails: z.array(Mail) }).parse(await response.json());
  const found = emails.find(({ headers }) =>
    headers.some(({ name, value }) => name === 'X-Delivery-Attempt' && value === attempt),
  );
  return (
    found && {
      subject: found.subject,
      from: found.from,
      to: found.destination.to,
      text: found.body.text,
    }
  );
};
