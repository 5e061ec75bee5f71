interface OfferMessageProps {
  readonly id: string;
  /** The name of the account; unknown in a table that was edited. */
  readonly company: string | undefined;
  /** Where the recipient answers, with `{id}` in the place of the offer's identifier. */
  readonly url: string | undefined;
}

/** What the recipient of an offer reads. */
export const offerMessage = ({ id, company = 'A company', url }: OfferMessageProps) => {
  const link = url?.replaceAll('{id}', id);
  return {
    subject: `${company} has an offer for you`,
    text: [
      'Hello,',
      `${company} has an offer for you, which waits for your answer.`,
      ...(link ? [`Read it: ${link}`] : []),
      `Its reference is ${id}. Quote it when you write to the company.`,
    ].join('\n\n'),
    html: `<!doctype html>
<html lang="en">
  <body style="margin: 0; padding: 32px 16px; background: #f4f5f7; font: 16px/1.5 system-ui, sans-serif; color: #1d2433">
    <div style="max-width: 480px; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 12px">
      <h1 style="margin: 0 0 16px; font-size: 22px">${escaped(company)} has an offer for you</h1>
      <p style="margin: 0 0 24px">It waits for your answer.</p>
      ${link ? `<p style="margin: 0 0 24px"><a href="${escaped(link)}">Read the offer</a></p>` : ''}
      <p style="margin: 0; font-size: 14px; color: #5b6475">
        Reference <strong>${id}</strong>. Quote it when you write to the company.
      </p>
    </div>
  </body>
</html>
`,
  };
};

const escaped = (text: string) =>
  text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
