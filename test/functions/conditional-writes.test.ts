import { expect, test } from 'vitest';
import type { Item } from '../../bin/admin/table/scan.ts';
import { rewrite } from '../../bin/admin/table/write.ts';
import { waitingOffer } from '../../bin/testing/delivery-attempts.ts';
import { messages, outboxMessage, requestTo } from '../../bin/testing/function-events.ts';
import { mailEvent } from '../../bin/testing/sample-mail-events.ts';
import { newOffer, newPaymentRequest, waitingSandbox } from '../../bin/testing/tenants.ts';
import { author } from '../../bin/testing/test-author.ts';
import { routes } from '../../functions/domain/routes.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { read } from '../../functions/store/read.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { developmentTemplate, policiesOf } from '../support/read-template.ts';
import { offerRecord, requestRecord } from '../support/records.ts';
import { useFunctions } from '../support/use-functions.ts';

const { proxied, tenant } = await useFunctions();

/** The attributes that the policy of a function lets an UpdateItem name. */
const allowedAttributes = (functionName: string): string[] =>
  policiesOf(developmentTemplate(), functionName)
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement)
    .filter(({ Action }) => Action === 'dynamodb:UpdateItem')
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

/** A function, and every write that it has sent to DynamoDB. */
const observed = async (name: string) => {
  const { proxy, lambda } = await proxied(name);
  const writes = (): Write[] =>
    proxy.seen.flatMap(({ operation, body }): Write[] => {
      const parsed = JSON.parse(body);
      if (operation === 'TransactWriteItems') return parsed.TransactItems;
      if (operation === 'PutItem') return [{ Put: parsed }];
      return operation === 'UpdateItem' ? [{ Update: parsed }] : [];
    });
  return { lambda, writes };
};

const { workspace, manager } = tenant;
const request = await newPaymentRequest(workspace);
const offer = await newOffer(workspace);
const waiting = await waitingOffer(workspace);
const sandbox = waitingSandbox(workspace);
await commitNew({ ...sandboxItem(sandbox), author });
const { attempt } = waiting;

const [imported, draft] = [requestRecord(), offerRecord()];

const approve = { tenant, id: request.id, body: { approver: manager } };
const create = { tenant, body: { name: 'Mine' } };
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
  ['provision-sandbox', [messages(outboxMessage('Provisioning', sandbox))]],
  ['deliver-offer', [messages(outboxMessage('Delivery', { workspace, ...attempt }))]],
  ['record-mail-event', [messages(mailEvent(attempt, 'permanentBounce', workspace))]],
  [
    'import-record',
    [1, 2].flatMap((version) => {
      const offer = { ...draft, status: version === 1 ? 'draft' : 'sent' };
      const sent = [{ payment_request: imported }, { offer }];
      return sent.map((each) => messages(JSON.stringify({ workspace, version, ...each })));
    }),
  ],
];

test.each(events)(
  '%s replaces no item, and changes no attribute that its policy does not name',
  async (name, sent) => {
    const { lambda, writes } = await observed(name);
    for (const event of sent) await lambda.invoke(event);

    expect(writes()).not.toEqual([]);
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
  const before: Item = { ...(await read(keys.offer(id))) };
  const responded = lambda.invoke(requestTo(routes.resendOffer, { tenant, id }));
  await held;
  await rewrite(before, { ...before, status: 'voided' });
  release();
  expect(await responded).toMatchObject({ statusCode: 409 });
  expect(await read(keys.offer(id))).toEqual({ ...before, status: 'voided' });
});
