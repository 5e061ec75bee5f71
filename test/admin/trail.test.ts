import { expect, test } from 'vitest';
import { actItem } from '../../bin/admin/kinds/act.ts';
import { newAuthor } from '../../functions/domain/author.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { paymentRequestItem } from '../../functions/store/payment-requests.ts';
import { read } from '../../functions/store/read.ts';
import { send } from '../support/http.ts';
import { approve, create, resend } from '../support/keyed-operations.ts';
import { mailEvent } from '../support/sample-mail-events.ts';
import {
  newOffer,
  newPaymentRequest,
  newTenant,
  pendingPaymentRequest,
} from '../support/tenants.ts';
import { mailEventsUrl, sendMessage } from './personal-data.ts';
import {
  admin,
  adminAt,
  adminJson,
  file,
  jsonAt,
  newTable,
  offerThatIs,
  stackFile,
  waitForSandboxes,
} from './run-admin.ts';

const operator = expect.stringMatching(/^operator:./);
const run = expect.stringMatching(/^run_[0-9A-Z]{26}$/);
const time = expect.stringMatching(/^20\d\d-/);

/** The story of an id; each entry is compared without its time, which is in order. */
const trail = async (id: string) => {
  const { story } = await adminJson('trail', id);
  const times = story.map(({ time }: { time: string }) => time);
  expect(times).toEqual([...times].sort());
  return story;
};

test('shows who approved, with what, and what became of the token', async () => {
  const { workspace, manager } = await newTenant();
  const { token, id: actor } = await adminJson(
    ...['token', 'issue', '--workspace', workspace, '--name', 'Payroll'],
  );
  const { id } = await newPaymentRequest(workspace);
  const target = { id, manager, reason: 'Matches the timesheet' };
  const { headers, body } = await send(approve, target, { token });
  await adminJson('token', 'revoke', actor, '--yes');
  const approved = {
    time,
    what: 'approved',
    id: body.approvals[0],
    actor,
    request: headers.get('request-id'),
    reason: 'Matches the timesheet',
    details: { payment_request: id, approver: manager },
  };

  expect(await trail(id)).toEqual([
    expect.objectContaining({ what: 'payment request created', id, actor: 'operator:test' }),
    approved,
  ]);
  expect(await trail(String(body.approvals[0]))).toEqual([approved]);
  expect(await trail(String(headers.get('request-id')))).toEqual([approved]);
  expect(await trail(actor)).toEqual([
    {
      ...{ time, what: 'token issued', id: actor, actor: operator, request: run },
      details: { name: 'Payroll', workspace },
    },
    approved,
    { time, what: 'token revoked', id: actor, actor: operator, request: run, details: {} },
  ]);
  const { stdout } = await admin('trail', id);
  expect(stdout).toContain(`approver=${manager}`);
  for (const text of ['TIME', 'REQUEST', actor, 'Matches the timesheet']) {
    expect(stdout).toContain(text);
  }
});

test('shows what became of a resend and of a sandbox', async () => {
  const { workspace, token } = await newTenant();
  const offer = await newOffer(workspace);
  const { body } = await send(resend, offer, { token });
  const made = await send(create, { name: 'Mine' }, { token });
  const attempt = body.delivery.last_attempt.id;
  const { actor } = (await read(keys.delivery(offer.id, attempt)))?.author ?? {};

  await offerThatIs('sent', offer.id);
  const sent = await trail(attempt);
  expect(sent).toMatchObject([
    { what: 'attempt queued', id: attempt, actor, details: { offer: offer.id } },
    { what: 'attempt sent', id: attempt, details: { message_id: expect.any(String) } },
  ]);
  expect(await trail(offer.id)).toMatchObject([{ what: 'offer created' }, ...sent]);
  await sendMessage(mailEventsUrl, mailEvent({ offer: offer.id, id: attempt }, 'permanentBounce'));
  await offerThatIs('bounced', offer.id);
  expect(await trail(attempt)).toMatchObject([
    ...sent,
    { what: 'attempt bounced', reason: 'permanent' },
  ]);

  const request = made.headers.get('request-id');
  await waitForSandboxes(workspace);
  expect(await trail(made.body.id)).toMatchObject([
    { what: 'sandbox created', id: made.body.id, actor, request, details: { workspace } },
    { what: 'sandbox ready', details: { sandbox_workspace: made.body.sandbox_workspace } },
  ]);
  // The request has made everything in the test workspace.
  expect(await trail(String(request))).toHaveLength(2 + 6);
});

test('shows what operators did: imports, managers and first sends', async () => {
  const { workspace, account, manager } = await newTenant();
  const id = (await newOffer(workspace, { status: 'draft' })).id;
  await adminJson('offer', 'send', id, '--key', 'send');
  expect(await trail(id)).toContainEqual(
    expect.objectContaining({ what: 'attempt queued', actor: operator, request: run }),
  );

  const path = file('offers.csv', `id,recipient_email\n${id}-imported,worker@example.com\n`);
  await admin('offer', 'import', path, '--workspace', workspace);
  const [imported] = await trail(`${id}-imported`);
  expect(imported).toMatchObject({ what: 'offer created', actor: operator, request: run });

  await adminJson('manager', 'remove', manager, '--account', account, '--yes');
  const all = await trail(imported.actor);
  const act = all.findLast(({ id }: { id: string }) => id === manager);
  expect(act).toMatchObject({ what: 'manager removed', details: { account } });

  const { id: added } = await adminJson('manager', 'add', '--account', account);
  await adminJson('manager', 'remove', added, '--account', account, '--yes');
  const ofAdded = [
    { what: 'manager added', id: added, actor: operator, request: run },
    { what: 'manager removed', id: added, actor: operator, request: run },
  ];
  expect(await trail(added)).toMatchObject(ofAdded);
  await adminJson('manager', 'add', added, '--account', account);
  expect(await trail(added)).toMatchObject([
    ofAdded[0],
    { what: 'manager added again', id: added, actor: operator, request: run },
  ]);
});

test('an export keeps its authors where it is imported, and the importer is reported', async () => {
  const { workspace, token } = await newTenant();
  const offer = await newOffer(workspace);
  const { headers } = await send(resend, offer, { token });
  const exported = await admin('export', '--workspace', workspace);
  const at = stackFile({ table: await newTable() });
  await adminAt(at, 'import', file('export.jsonl', exported.stdout));

  const { story } = await jsonAt(at, 'trail', offer.id);
  expect(story).toContainEqual(
    expect.objectContaining({
      what: 'attempt queued',
      actor: expect.stringMatching(/^tok_/),
      request: headers.get('request-id'),
    }),
  );
  expect(story).toContainEqual(
    expect.objectContaining({ what: 'imported', id: offer.id, actor: operator, request: run }),
  );
  // The tokens stayed behind.
  const verified = await adminAt(at, 'verify');
  expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('No violation')]);
});

test('finds a request by the id that its client chose, though not every place takes it so', async () => {
  const { workspace } = await newTenant();
  const chosen = `order 7/${newOpaque()}`;
  const request = pendingPaymentRequest();
  await commitNew({
    ...paymentRequestItem(workspace, request),
    author: newAuthor('operator:test', chosen),
  });
  expect(await trail(chosen)).toMatchObject([{ what: 'payment request created', id: request.id }]);
});

test.each([['mallory'], [{ actor: 'mallory' }], [7]])(
  'shows an item whose author is %j, which no function writes',
  async (author) => {
    const item = { ...paymentRequestItem('wsp_1', pendingPaymentRequest()), author };
    const at = stackFile({ table: await newTable([item]) });
    const { story } = await jsonAt(at, 'trail', item.id);
    expect(story).toMatchObject([{ what: 'payment request created' }]);
  },
);

test('finds an act by the id of its item, and not by a part of it', async () => {
  const id = `apprdec_${newOpaque()}`;
  const { pk: partition, sk: item } = keys.approval(`ptr_${newOpaque()}`, id);
  const message = { what: 'message discarded', queue: 'events', message_id: 'm' } as const;
  const act = { ...message, partition, item };
  const at = stackFile({
    table: await newTable([actItem(act, newAuthor('operator:test', 'run_1'))]),
  });
  const codes = [id, 'AP', 'APPROVAL#', 'apprdec_', id.slice(0, -1), id.slice(1)].map(
    async (each) => (await adminAt(at, 'trail', each)).code,
  );
  expect(await Promise.all(codes)).toEqual([0, 1, 1, 1, 1, 1]);
});

test('reports an id of which the table has no record', async () => {
  const { code, stderr } = await admin('trail', 'dlv_none');
  expect([code, stderr]).toEqual([1, 'error: The table has no record of dlv_none.\n']);
});
