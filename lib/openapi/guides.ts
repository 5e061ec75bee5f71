import type * as z from 'zod/mini';
import { demo } from '../../functions/contract/demo.ts';
import { jsonSchema } from '../../functions/contract/json-schema.ts';
import { bodyLimit } from '../../functions/domain/body-limit.ts';
import { idempotencyKeyDays, idempotencyKeyForm } from '../../functions/domain/idempotency-key.ts';
import { ApprovePaymentRequest } from '../../functions/domain/payment-request.ts';
import { type ProblemCode, problems } from '../../functions/domain/problem.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { CreateSandbox } from '../../functions/domain/sandbox.ts';
import { withCommas } from '../../functions/domain/text.ts';
import { operationLink, tagAnchor, tagGroupAnchor } from './anchors.ts';
import { operationIds, operations } from './operations.ts';
import { problemTag } from './problem-catalogue.ts';
import { installClient, sampleToken, sampleUrl } from './samples.ts';

const scopeRows = operationIds.map((operation) => {
  const { scope, method, path, workspaces }: Route = routes[operation];
  const tokens = workspaces === 'live' ? 'live' : 'live, test';
  return `| \`${scope}\` | ${operationLink(operation)} | \`${method} ${path}\` | ${tokens} |`;
});

const codeLink = (code: ProblemCode) => `[\`${code}\`](${tagAnchor(code)})`;

const limit = operations.listSandboxes.parameters.find(({ name }) => name === 'limit')?.schema;

const lengthOf = (text: z.ZodMiniType) => {
  const { minLength, maxLength = 0 } = jsonSchema(text);
  return `${minLength} to ${withCommas(maxLength)} characters`;
};

/** The guides before the operations, by title. */
const guides = {
  Authentication: `Every request carries an access token:

\`\`\`http
Authorization: Bearer <ACCESS_TOKEN>
\`\`\`

A token belongs to one workspace, live (\`wfp_live_…\`) or test (\`wfp_test_…\`), expires at a fixed time, and has scopes. It is shown once, when an operator issues it. A revoked token is rejected within 60 seconds.

| Scope | Allows | Request | Tokens |
| --- | --- | --- | --- |
${scopeRows.join('\n')}

A missing, unknown or expired token gets 401 ${codeLink('unauthenticated')}, one without the scope 403 ${codeLink('insufficient_scope')}. An object of another workspace gets the response of one that does not exist.`,

  'Idempotent retries': `Send an \`Idempotency-Key\` with every POST and retry with the same key until you receive a response. However often it arrives, the request has one effect.

1. Generate a key for each intent, such as a UUID, and store it before you send the request.
2. When no response arrives, or a 5xx, wait for the seconds in \`Retry-After\`, or with exponential backoff and jitter, and send the same request with the same key.
3. The first success is saved for ${idempotencyKeyDays} days. A retry receives it again, with the header \`Idempotent-Replayed: true\`, and has no effect of its own.

Send the header in one line. Two lines with one key are rejected, also joined as \`k, k\`; but an intermediary may join them as \`k,k\` (RFC 9110, section 5.3), which is a key of its own and another effect.

Keys belong to a workspace and an operation. Only successes are saved: after an error, the same key may be sent again. The same key with a different request gets 422 ${codeLink('idempotency_key_reused')}.

A response with \`Retry-After\` means that this request had no effect: send it again after that time, and with the same key if it had one, because an earlier request with the key, or an intermediary's copy of this one, may have taken effect. After any other 5xx, or without a response, the request may have taken effect. With a key, send it again. Without one, you can look up a new sandbox only (\`GET /v1/sandboxes\`): the API returns a payment request or an offer only as the response to a POST. Sending the request again may add a second approval or send a second mail.`,

  'Approve what was seen': `A payment request may change while a manager looks at it. Send \`If-Match\` with the version of the record that was on the screen, in double quotes: \`If-Match: "7"\`. The approval is made only of that version; otherwise the response is 412 ${codeLink('version_mismatch')}, and nothing was approved. Load the record from your system again and show it to the manager. If the manager saw a newer version, wait until it has been imported. An approved request keeps its worker, amount and currency: where a later version has ended it with others, only \`*\` matches.

Several versions are a list, \`"6", "7"\`. Without the header, any version is approved. \`If-Match\` belongs to the request: use a new key with another one. A retry with the same key and the same versions receives the saved response, even if the version is another one by then.`,

  Pagination: `Lists return the newest objects first, ${limit?.default} on a page; \`limit\` sets ${limit?.minimum} to ${limit?.maximum}.

Send the \`cursor\` of a page to fetch the next one. The last page has none. Following the cursors returns each object once, even while others are created. A cursor is opaque, and belongs to its workspace and list: after ${codeLink('invalid_cursor')}, start again without one.

\`starting_after\` and \`ending_before\` take an identifier instead, and return older or newer objects. Send at most one of the three.

A reader that polls for new objects with \`ending_before\` can miss one: an object gets its identifier before it is saved, so one with an older identifier can appear after one with a newer. Start again each time from an identifier that is a minute old, and ignore what you have seen. Events miss none.`,

  Errors: `An error is a problem details object (RFC 9457) with the media type \`application/problem+json\`:

| Member | Meaning |
| --- | --- |
| \`type\` | the code as a URI |
| \`code\` | stable, for programs |
| \`title\`, \`status\` | the code in a few words, and the HTTP status |
| \`detail\` | a sentence about this case, for people. It may change |
| \`request_id\` | identifies the request; quote it to support |
| \`errors\` | with status 400: every fault, but for those after the first 100, with its \`pointer\`, \`parameter\` or \`header\` |
| \`version\` | with status 412: the version of the record |

Compare \`code\`. Retry 409 ${codeLink('idempotency_key_in_use')}, 429 and 5xx with the same \`Idempotency-Key\`. Send any other request again only after you have removed the cause of its error. Every code is listed under [Error codes](${tagGroupAnchor('Error codes')}).`,

  'TypeScript client': `The client has no dependencies and needs Node.js 22.12 or later. It is not on npm yet: pack it, and install the file.

\`\`\`bash
${installClient}
\`\`\`

\`\`\`ts
import { PaymentsError, paymentsClient } from 'workforce-payments-client';

const client = paymentsClient({
  baseUrl: '${sampleUrl}',
  token: '${sampleToken}',
});
const sandbox = await client.createSandbox({ name: 'My first sandbox' });
console.log(await client.waitUntilReady(sandbox));

// Newest first, page by page.
for await (const { name } of client.sandboxes()) console.log(name);

try {
  await client.resendOffer('ofr_draft');
} catch (error) {
  if (!(error instanceof PaymentsError)) throw error;
  console.log(error.code); // offer_not_sent
}
\`\`\`

Each POST has an \`Idempotency-Key\`. The client sends a request again, with the same key, when the response has \`Retry-After\`, is a 408, 425, 429 or 5xx, or does not arrive completely; every other error ends the call at once. A try ends after 30 seconds and a call after 90 (\`tryForS\`).

A call without a success throws a \`PaymentsError\` with \`code\`, \`status\`, \`requestId\`, \`errors\` and \`key\`. A call that has sent a POST may have had its effect: call again with the same key to find out.

A call that must survive a crash of your program needs a key that you store with the intent, before the call. A key identifies one intent for ${idempotencyKeyDays} days: use a new one for the next intent.

\`\`\`ts
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { paymentsClient } from 'workforce-payments-client';

const client = paymentsClient({
  baseUrl: '${sampleUrl}',
  token: '${sampleToken}',
});
// In production, a column beside the intent.
const intent = 'approve-ptr_pending.key';

if (!existsSync(intent)) writeFileSync(intent, crypto.randomUUID());
// After a crash, this is the same key.
const key = readFileSync(intent, 'utf8');
const body = { approver: '${demo.managers.live[0]}' };
console.log(await client.approve('ptr_pending', body, { key }));
rmSync(intent); // the intent is done
\`\`\``,

  'Sandboxes and testing': `A sandbox is an isolated test workspace of a live workspace. It is created as \`provisioning\` and is \`ready\` within seconds. List the sandboxes to see its status.

An operator issues tokens of the test workspace. It contains what the other operations need: for \`sbx_X\` the payment request \`ptr_X\`, the sent offer \`ofr_X\` and the manager \`00000000-0000-4000-8000-000000000001\`.

A test workspace never sends e-mail: its delivery attempts end as \`simulated\`. Test tokens cannot create or list sandboxes.`,

  'After the response': `Two operations respond before all their work is done. The rest follows through queues, and is not lost once the response is a success.

| Operation | Response | What follows |
| --- | --- | --- |
| ${operationLink('createSandbox')} | \`provisioning\` | the test workspace is filled, then the sandbox is \`ready\` |
| ${operationLink('resendOffer')} | last attempt \`queued\` | \`sending\`, then \`sent\` or \`failed\`; later \`delivered\`, \`bounced\` or \`complained\` |`,

  Limits: `| What | Limit |
| --- | --- |
| Request body | ${bodyLimit} |
| \`limit\` of a list | ${limit?.minimum} to ${limit?.maximum} |
| Name of a sandbox | ${lengthOf(CreateSandbox.shape.name)} |
| Reason of an approval | ${lengthOf(ApprovePaymentRequest.shape.reason)} |
| \`Idempotency-Key\` | ${idempotencyKeyForm}, kept for ${idempotencyKeyDays} days |
| Time to a response | 10 seconds as a rule, 29 at most |

Each installation sets its own request rate. A request above it gets 429 ${codeLink('rate_limited')}.`,

  'Versions and changes': `The version is part of the path. Within \`/v1\`, responses may get new members, enumerations new values, and operations new optional parameters: clients must ignore unknown ones. A change that removes something or alters its meaning requires \`/v2\`.

Requests are validated strictly: an unknown member or parameter is rejected.`,
};

/** Tags without operations: the guides, then a page for each code. */
export const documentationTags = {
  guides: Object.entries(guides).map(([name, description]) => ({ name, description })),
  codes: (Object.keys(problems) as ProblemCode[]).map(problemTag),
};
