import type { StackFile } from '../stack-file/stack-file.ts';
import { stackFilePath } from '../stack-file/stack-file-path.ts';
import type { LocalOptions } from './options.ts';
import { putRecordCommand } from './put-record-command.ts';

/**
 * The stack file as text for a developer, with a request for each endpoint to copy.
 *
 * @param notRun the types of the template that have no effect here
 */
export const welcome = (
  file: StackFile,
  notRun: readonly string[],
  { stackFile, dynamodb, watch }: LocalOptions,
): string => {
  const { url, reference, mailbox, endpoints, tokens, managers, payment_requests, offers } = file;
  const { queues, workspaces } = file;
  const curl = (path: string, ...rest: string[]) =>
    [
      `curl -i${rest.length > 0 ? ' -X POST' : ''} ${url}${path}`,
      `-H 'Authorization: Bearer ${tokens.live}'`,
      ...rest,
    ]
      .join(' \\\n    ')
      .replace(/^/, '  ');
  const notes = [
    stackFile !== stackFilePath && `Other commands find this run with --stack-file ${stackFile}.`,
    notRun.length > 0 && `Without effect here: ${notRun.join(', ')}.`,
    dynamodb
      ? `The table is kept at ${dynamodb.origin}.`
      : 'The data are in memory; CONTRIBUTING.md says how to keep them. DynamoDB Local listens on every interface.',
    watch && 'Saves in functions/ run from the next request on.',
  ];
  const key = (intent: string) => `-H 'Idempotency-Key: ${intent}'`;
  const putRecord = putRecordCommand(endpoints.sqs, queues.import?.url ?? '', {
    workspace: workspaces.live,
    version: 1,
    offer: {
      id: 'ofr_imported',
      recipient_email: 'amara@example.com',
      status: 'sent',
      created: '2026-10-31T09:00:00.000Z',
    },
    send: true,
  });
  const json = `-H 'Content-Type: application/json'`;
  return `
  API        ${url}
  Reference  ${reference}
  Mail       ${mailbox}
  DynamoDB   ${endpoints.dynamodb}

  Tokens     live       ${tokens.live}
             other      ${tokens.other}
             test       ${tokens.test}
             expired    ${tokens.expired}
             no scopes  ${tokens.no_scopes}

Approve a payment request:
${curl(`/v1/payment-requests/${payment_requests.pending}/approve`, json, key('my-first-approval'), `-d '{"approver":"${managers.live[0]}","reason":"Matches the timesheet"}'`)}

Create a sandbox, then list it and see it turn ready:
${curl('/v1/sandboxes', json, key('my-first-sandbox'), `-d '{"name":"My first sandbox"}'`)}

${curl('/v1/sandboxes')}

Send an offer again, then read the mail at ${mailbox}:
${curl(`/v1/offers/${offers.sent}/resend`, key('my-first-resend'))}

Send a mail that bounces, as from the mailbox simulator of Amazon SES:
${curl(`/v1/offers/${offers.bouncing}/resend`, key('my-first-bounce'))}

Put an offer into the queue of records (lib/RECORDS.md), which mails it:
  ${putRecord}

Addresses, tokens and identifiers are in ${stackFile} too. Ctrl-C stops everything.
${notes.filter(Boolean).join('\n')}
`;
};
