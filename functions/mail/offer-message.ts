/** What the recipient of an offer reads. The identifier holds nothing that HTML would misread. */
export const offerMessage = (id: string) => ({
  subject: 'You have an offer waiting',
  text: [
    'Hello,',
    'you have an offer waiting for your answer.',
    `Its reference is ${id}. Quote it when you write to the company that sent it.`,
  ].join('\n\n'),
  html: `<!doctype html>
<html lang="en">
  <body style="margin: 0; padding: 32px 16px; background: #f4f5f7; font: 16px/1.5 system-ui, sans-serif; color: #1d2433">
    <div style="max-width: 480px; margin: 0 auto; padding: 32px; background: #ffffff; border-radius: 12px">
      <h1 style="margin: 0 0 16px; font-size: 22px">You have an offer waiting</h1>
      <p style="margin: 0 0 24px">It is waiting for your answer.</p>
      <p style="margin: 0; font-size: 14px; color: #5b6475">
        Reference <strong>${id}</strong>. Quote it when you write to the company that sent it.
      </p>
    </div>
  </body>
</html>
`,
});
