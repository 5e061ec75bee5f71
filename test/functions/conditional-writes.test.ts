import { expect, test } from 'vitest';
import { rewrite } from '../../bin/admin/table/write.ts';
import type { Item } from '../../functions/domain/item.ts';
import { routes } from '../../functions/domain/routes.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { approvalItem } from '../../functions/store/payment-requests.ts';
import { readItem } from '../../functions/store/read.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { waitingOffer } from '../support/delivery-attempts.ts';
import {
  authorization,
  inserted,
  messages,
  outboxMessage,
  requestTo,
} from '../support/function-events.ts';
import { putAll } from '../support/put-all.ts';
import { developmentTemplate, functionsOf, policiesOf } from '../support/read-template.ts';
import { offerRecord, requestRecord } from '../support/records.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import {
  approvalBy,
  newOffer,
  newPaymentRequest,
  newSandboxes,
  waitingSandbox,
} from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { useFunctions } from '../support/use-functions.ts';

const { proxied, tenant } = await useFunctions();

const template = developmentTemplate();

/** The statements of a function's policy about items of the table. */
const statementsOf = (name: string) =>
  policiesOf(template, name)
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .map(({ Action, Condition }) => ({ actions: [Action].flat() as string[], Condition }))
    .filter(({ actions }) => actions.some((each) => /^dynamodb:.*(Item|Query|Scan)/.test(each)));

/** What a function may read and write, but for what it does with a precondition or after faults. */
const usualActions = (name: string): string[] =>
  statementsOf(name)
    .flatMap(({ actions }) => actions.map((action) => action.replace('dynamodb:', '')))
    .filter((action) => !['ConditionCheckItem', 'DeleteItem'].includes(action))
    // Only Powertools would read, if DynamoDB refused its record and did not return the other one.
    .filter((action) => name !== 'create-sandbox' || action !== 'GetItem');

/** The attributes that the policy of a function lets an UpdateItem name. */
const allowedAttributes = (name: string): string[] =>
  statementsOf(name)
    .filter(({ actions }) => actions.includes('dynamodb:UpdateItem'))
    .flatMap(({ Condition }) => Condition['ForAllValues:StringEquals']['dynamodb:Attributes']);

interface Put {
  readonly Item: { readonly pk: { readonly S: string } };
  readonly ConditionExpression?: string;
}
interface Update {
  readonly UpdateExpression: string;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}
type Write = { readonly Put?: Put; readonly Update?: Update };

/** A function, and what it has sent to DynamoDB; a transaction of writes is each of them. */
const observed = async (name: string) => {
  const { proxy, lambda } = await proxied(name);
  const calls = () => proxy.seen.map(({ operation, body }) => [operation, JSON.parse(body)]);
  const writes = (): Write[] =>
    calls().flatMap(([operation, body]): Write[] => {
      if (operation === 'TransactWriteItems') return body.TransactItems;
      const [, write] = /^(Put|Update)Item$/.exec(operation) ?? [];
      return write ? [{ [write]: body }] : [];
    });
  const reads = () =>
    calls().filter(([operation]) => !/Write|^(Put|Update|Delete)/.test(operation));
  return { lambda, writes, reads };
};

const { workspace, manager } = tenant;
const request = await newPaymentRequest(workspace);
// More than the first read returns.
const approvals = Array.from({ length: 12 }, () => approvalItem(approvalBy(manager, request.id)));
await putAll(approvals);
const [listed] = await newSandboxes(workspace, 1);
const offer = await newOffer(workspace);
const waiting = await waitingOffer(workspace);
const sandbox = waitingSandbox(workspace);
await commitNew({ ...sandboxItem(sandbox), author });
const { attempt } = waiting;

const [imported, draft] = [requestRecord(), offerRecord()];
const approved = await newPaymentRequest(workspace, { status: 'approved' });
const ended = requestRecord({ id: approved.id, status: 'cancelled' });

const approve = { tenant, id: request.id, body: { approver: manager } };
const create = { tenant, body: { name: 'Mine' } };
const list = (query: object) => requestTo(routes.listSandboxes, { tenant, query: { ...query } });
const events: [string, object[]][] = [
  [
    'approve-payment-request',
    [approve, approve, { ...approve, key: 'k' }].map((sent) =>
      requestTo(routes.approvePaymentRequest, sent),
    ),
  ],
  [
    'create-sandbox',
    [create, { ...create, key: 'k' }].map((sent) => requestTo(routes.createSandbox, sent)),
  ],
  [
    'resend-offer',
    [{}, { key: 'k' }].map((key) =>
      requestTo(routes.resendOffer, { tenant, id: offer.id, ...key }),
    ),
  ],
  ['list-sandboxes', [list({}), list({ starting_after: listed?.id })]],
  ['authorize', [authorization(routes.listSandboxes, `Bearer ${tenant.token}`)]],
  ['relay-outbox', [inserted({ ...deliveryItem(sandbox.sandbox_workspace, attempt), author })]],
  ['publish-events', [inserted(...approvals)]],
  ['provision-sandbox', [messages(outboxMessage('Provisioning', sandbox))]],
  ['deliver-offer', [messages(outboxMessage('Delivery', { workspace, ...attempt }))]],
  ['record-mail-event', [messages(mailEvent(attempt, 'permanentBounce', workspace))]],
  [
    'import-record',
    [1, 2].flatMap((version) => {
      const offer = { ...draft, status: version === 1 ? 'draft' : 'sent' };
      const sent = [{ payment_request: imported }, { offer }, { payment_request: ended }];
      return sent.map((each) => messages(JSON.stringify({ workspace, version, ...each })));
    }),
  ],
];

test('every function that may read the table is tested below', () => {
  const readers = [...functionsOf(template).keys()].filter((name) => statementsOf(name).length > 0);
  expect(events.map(([name]) => name).sort()).toEqual(readers.sort());
});

// DynamoDB Local has no stale reads.
test.each(events)(
  '%s reads what is there now, replaces no item, and changes no attribute that its policy does not name',
  async (name, sent) => {
    const { lambda, writes, reads } = await observed(name);
    for (const event of sent) await lambda.invoke(event);

    for (const read of reads()) expect(read).toMatchObject([read[0], { ConsistentRead: true }]);
    const written = writes().flatMap((write) => Object.keys(write).map((kind) => `${kind}Item`));
    const done = [...reads().map(([operation]) => operation), ...written];
    expect(done).toEqual(expect.arrayContaining(usualActions(name)));
    for (const { Put, Update } of writes()) {
      if (Put && !Put.Item.pk.S.startsWith('CLAIM#')) {
        expect(Put.ConditionExpression).toBe('attribute_not_exists(pk)');
      }
      if (Update) {
        const { UpdateExpression, ConditionExpression, ExpressionAttributeNames = {} } = Update;
        const text = `${UpdateExpression} ${ConditionExpression}`;
        const named = Object.values(ExpressionAttributeNames);
        const plain = text.match(/(?<![#:\w])[a-z_]+(?![\w(])/g) ?? [];
        expect(allowedAttributes(name)).toEqual(expect.arrayContaining([...named, ...plain]));
        expect(Update).not.toHaveProperty('ReturnValues');
      }
    }
  },
);

// `redact` voids an offer and adds no attempt. The search of test/interleave has no redaction of an
// offer beside a resend.
test('resend-offer does not undo a status that comes meanwhile', async () => {
  const { proxy, lambda } = await proxied('resend-offer');
  const { held, release } = proxy.hold({ operation: 'TransactWriteItems' });
  const { id } = await newOffer(workspace);
  const before: Item = { ...(await readItem(keys.offer(id))) };
  const responded = lambda.invoke(requestTo(routes.resendOffer, { tenant, id }));
  await held;
  await rewrite(before, { ...before, status: 'voided' });
  release();
  expect(await responded).toMatchObject({ statusCode: 409 });
  expect(await readItem(keys.offer(id))).toEqual({ ...before, status: 'voided' });
});
