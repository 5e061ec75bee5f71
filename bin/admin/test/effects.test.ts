import { expect, test } from 'vitest';
import { newAuthor } from '../../../functions/domain/author.ts';
import { newOpaque } from '../../../functions/runtime/stamp.ts';
import { managerItem } from '../../../functions/store/managers.ts';
import { offerItem } from '../../../functions/store/offers.ts';
import { approvalItem, paymentRequestItem } from '../../../functions/store/payment-requests.ts';
import { tokenItem } from '../../../functions/store/tokens.ts';
import { approvalBy, pendingPaymentRequest, sentOffer } from '../../../test/support/tenants.ts';
import { adminAt, jsonAt, newTable, stackFile } from './run-admin.ts';

const day = (number: number) => `2020-11-0${number}T00:00:00.000Z`;
const token = newAuthor(`tok_${newOpaque()}`, 'request-1');
const sender = newAuthor('sender:AROAPAYROLL:session', 'message-1');
const operator = newAuthor('operator:jane', 'run_1');
const [workspace, account] = ['wsp_1', 'acc_1'];
const request = pendingPaymentRequest({ created: day(1) });
const approval = approvalBy('11111111-1111-4111-8111-111111111111', request.id, {
  created: day(5),
});
const offer = sentOffer({ created: day(3) });
const manager = { id: '22222222-2222-4222-8222-222222222222', account, created: day(2) };
const issued = { id: `tok_${newOpaque()}`, scopes: '', expires_at: day(9), created: day(4) };

const table = newTable([
  { ...paymentRequestItem(workspace, request), author: sender, changed: { ...sender, at: day(6) } },
  { ...approvalItem(approval), author: token },
  { ...offerItem(workspace, offer), author: sender },
  {
    ...managerItem(manager),
    author: operator,
    added: { ...operator, at: day(7) },
    removed: { ...operator, at: day(8) },
  },
  {
    ...tokenItem('secret', { ...issued, workspace, account }),
    author: operator,
    revoked: { ...operator, at: day(9) },
  },
]);

const effects = async (...args: string[]) =>
  jsonAt(stackFile({ table: await table }), 'effects', ...args);

test('lists what was created and each last change, in the order of time', async () => {
  const all = await effects('--since', day(1));
  expect(all.map(({ kind, id, workspace: of }: Record<string, string>) => [kind, id, of])).toEqual([
    ['payment request created', request.id, workspace],
    ['manager created', manager.id, account],
    ['offer created', offer.id, workspace],
    ['token created', issued.id, workspace],
    ['approval created', approval.id, workspace],
    ['payment request changed', request.id, workspace],
    ['manager added', manager.id, account],
    ['manager removed', manager.id, account],
    ['token revoked', issued.id, workspace],
  ]);
  expect(all[4]).toEqual({
    time: day(5),
    kind: 'approval created',
    id: approval.id,
    workspace,
    actor: token.actor,
    request: token.request,
  });
});

test.each([
  [['--actor', token.actor], ['approval created']],
  [
    ['--actor', 'sender:AROAPAYROLL', '--until', day(5)],
    ['payment request created', 'offer created'],
  ],
  [['--actor', 'sender:AROA'], []],
  [
    ['--request', 'run_1', '--since', day(5)],
    ['manager added', 'manager removed', 'token revoked'],
  ],
  [
    ['--since', day(3), '--until', day(4)],
    ['offer created', 'token created'],
  ],
])('with %j lists %j', async (args, kinds) => {
  expect((await effects(...args)).map(({ kind }: { kind: string }) => kind)).toEqual(kinds);
});

test('requires what to look for', async () => {
  const { code, stderr } = await adminAt(stackFile({ table: await table }), 'effects');
  expect([code, stderr]).toEqual([2, expect.stringContaining('Give --actor, --request, --since')]);
});
