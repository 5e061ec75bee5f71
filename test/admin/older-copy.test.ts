import { BatchWriteCommand, ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../bin/admin/transfer/entry.ts';
import { recordReader } from '../../bin/admin/transfer/record.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { documents, table } from '../../functions/store/client.ts';
import { keys } from '../../functions/store/keys.ts';
import { author } from '../support/author.ts';
import { eventually } from '../support/eventually.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { call } from '../support/http.ts';
import { stack } from '../support/stack.ts';
import { newOffer, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';
import { admin, adminAt, adminJson, file, newTable, stackFile } from './admin.ts';

type Item = Record<string, unknown>;

const exported = async (workspace: string, at = stackFile()): Promise<Item[]> => {
  const { stdout } = await adminAt(at, 'export', '--workspace', workspace, '--tokens');
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

const fileOf = (lines: readonly Item[]) =>
  file('export.jsonl', lines.map((line) => JSON.stringify(line)).join('\n'));

/** The name of a table of these items as they would be without an import. */
const copyOf = async (lines: readonly Item[]): Promise<string> => {
  const copy = await newTable();
  const { read } = recordReader({ ...author, at: new Date().toISOString() });
  const puts = lines.map(({ hash: _, ...fields }, index) => {
    const { pk, sk } = (read(lines[index]) as Entry).item;
    return { PutRequest: { Item: { pk, sk, ...fields } } };
  });
  while (puts.length > 0) {
    await documents.send(new BatchWriteCommand({ RequestItems: { [copy]: puts.splice(0, 25) } }));
  }
  return copy;
};

const importing = async (at: string, lines: readonly Item[], ...more: string[]) => {
  const { stdout, stderr } = await adminAt(at, 'import', fileOf(lines), '--json', ...more);
  return stdout ? JSON.parse(stdout) : stderr;
};

const violations = async (at: string): Promise<unknown[]> =>
  JSON.parse((await adminAt(at, 'verify', '--json')).stdout).violations;

/** Tries again with its key while the outcome is unknown, as on a busy machine. */
const post = async (path: string, token: string, body?: object) => {
  const request = { token, key: newOpaque(), ...(body && { body }) };
  await eventually(async () => (await call('POST', path, request)).status < 300);
};

const approve = ({ token, manager }: Tenant, id: string) =>
  post(`/v1/payment-requests/${id}/approve`, token, {
    approver: manager,
    reason: 'Matches the timesheet',
  });

const setRequest = (id: string, status: string, payment: object | null) =>
  documents.send(
    new UpdateCommand({
      TableName: table(),
      Key: keys.paymentRequest(id),
      UpdateExpression: 'SET #status = :status, payment = :payment',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':status': status, ':payment': payment },
    }),
  );

describe('an export imported over an older copy of the table', () => {
  let tenant: Tenant;
  let older: Item[];
  let newer: Item[];
  const byType = (lines: readonly Item[], wanted: string) =>
    lines.filter(({ type }) => type === wanted);

  beforeAll(async () => {
    tenant = await newTenant();
    const { workspace, token } = tenant;
    const [pending, draft] = [
      await newPaymentRequest(workspace),
      await newPaymentRequest(workspace, { status: 'draft' }),
    ];
    const offers = [await newOffer(workspace), await newOffer(workspace, { status: 'draft' })];
    const resend = () => post(`/v1/offers/${offers[0]?.id}/resend`, token);
    await Promise.all([resend(), post('/v1/sandboxes', token, { name: 'Mine' })]);
    /** The export with as many delivery attempts, once the consumers have nothing left to do. */
    const settled = async (count: number): Promise<Item[]> => {
      let lines: Item[] = [];
      await eventually(async () => {
        lines = await exported(workspace);
        const attempts = byType(lines, 'DELIVERY').filter((each) => each.workspace === workspace);
        return (
          byType(lines, 'SANDBOX').every(({ status }) => status === 'ready') &&
          attempts.length === count &&
          attempts.every(({ status }) => status === 'sent')
        );
      });
      return lines;
    };
    // As it was before the queues' consumers came to it, which nothing will do in a copy.
    older = (await settled(1))
      .filter((line) => !JSON.stringify(line).includes('_test_') || line.type === 'SANDBOX')
      .map(({ message_id: _, sent_at: __, ...line }) => {
        if (line.type === 'SANDBOX') return { ...line, status: 'provisioning' };
        if (line.type !== 'DELIVERY') return line;
        return { ...line, status: 'queued', updated: '2026-01-01T00:00:00.000Z' };
      });
    for (const { id } of [pending, pending, draft]) await approve(tenant, id);
    await setRequest(draft.id, 'paid', { id: 'pay_1' });
    await resend();
    await resend();
    await adminJson('offer', 'send', String(offers[1]?.id), '--key', 'send');
    newer = await settled(4);
  });

  test.each([
    ['as it was exported', (lines: Item[]) => lines],
    ['backwards', (lines: Item[]) => lines.toReversed()],
  ])('leaves nothing that verify finds, %s', async (_, ordered) => {
    const at = stackFile({ table: await copyOf(older) });
    const lines = ordered(newer);

    const foreseen = await importing(at, lines, '--dry-run');
    const done = await importing(at, lines);

    expect({ ...foreseen, dry_run: false }).toEqual(done);
    // Two payment requests, an offer, a sandbox and a delivery attempt have gone on.
    expect(done).toMatchObject({ lines: newer.length, updated: 5, bad: 0 });
    expect(await violations(at)).toEqual([]);
    const comparable = (all: readonly Item[]) =>
      all
        // An offer that counts more attempts was not written otherwise: the attempts have their
        // times.
        .map(({ updated, ...line }) => (line.type === 'OFFER' ? line : { ...line, updated }))
        .map((line) => JSON.stringify(Object.entries(line).sort()))
        .sort();
    expect(comparable(await exported(tenant.workspace, at))).toEqual(comparable(newer));
    expect(await importing(at, lines)).toMatchObject({
      ...{ created: 0, updated: 0, present: newer.length, bad: 0 },
    });
  });

  test('leaves nothing that verify finds when it is only a part, or is broken off', async () => {
    const table = await copyOf(older);
    const at = stackFile({ table });
    const consistent = async () => (await violations(at)).filter(isNoWait);
    const { bad, bad_lines } = await importing(at, newer.slice(newer.length / 2));
    expect([bad_lines.length, await consistent()]).toEqual([bad, []]);

    // One after another: in what needs nothing, in what needs that, and in the claims.
    const proxy = await FaultProxy.start();
    proxy.forwardTo(stack.endpoints.dynamodb);
    const endpoints = { ...stack.endpoints, dynamodb: proxy.url };
    for (const [operation, calls] of [
      ['UpdateItem', [1]],
      ['TransactWriteItems', [2]],
      ['TransactWriteItems', [3]],
    ] as const) {
      const fault = { kind: 'answer', status: 400, type: 'AccessDeniedException' } as const;
      proxy.inject({ operation, calls, fault });
      expect(await importing(stackFile({ table, endpoints }), newer)).toContain('AccessDenied');
      proxy.clear();
      expect(await consistent()).toEqual([]);
    }
    await proxy.stop();

    expect(await importing(at, newer)).toMatchObject({ bad: 0 });
    expect(await violations(at)).toEqual([]);
  });

  test('imports no record without the one that it needs', async () => {
    const at = stackFile({ table: await copyOf(older) });
    const needing = ['APPROVAL', 'DELIVERY', 'CLAIM', 'SANDBOX'];
    const lines = newer.filter(({ type }) => needing.includes(String(type)));
    const [claim] = byType(newer, 'CLAIM');
    const odd = { ...claim, key: 'odd', result: '{"odd":true}' };
    const other = { ...byType(newer, 'APPROVAL')[0], payment_request: 'ptr_gone' };

    const foreseen = await importing(at, [...lines, odd, other], '--dry-run');
    const done = await importing(at, [...lines, odd, other]);

    expect({ ...foreseen, dry_run: false }).toEqual(done);
    const faults = done.bad_lines.flatMap(({ errors }: { errors: { detail: string }[] }) =>
      errors.map(({ detail }) => detail.replaceAll(/[a-z]+_\w{26,}/g, '…')),
    );
    expect(new Set(faults)).toEqual(
      new Set([
        'The payment request … is still pending, in the table and in the file.',
        'The payment request … is still draft, in the table and in the file.',
        'There is no payment request ptr_gone, in the table or in the file.',
        'The offer … is still draft, in the table and in the file.',
        'There is no offer …, in the table or in the file.',
        'There is no workspace …, in the table or in the file.',
        'There is no APPROVAL#… in PAYMENT_REQUEST#…, in the table or in the file.',
        'There is no DELIVERY#… in OFFER#…, in the table or in the file.',
        'The result of the claim cannot be read.',
      ]),
    );
    expect((await violations(at)).filter(isNoWait)).toEqual([]);
  });
});

/** The copy's own attempt waits until a line of the file ends it. */
const isNoWait = (violation: unknown) => (violation as { code: string }).code !== 'stuck_delivery';

test('an import undoes nothing that happens meanwhile, and loses no approval', async () => {
  const tenant = await newTenant();
  const [one, other] = [
    await newPaymentRequest(tenant.workspace),
    await newPaymentRequest(tenant.workspace),
  ];
  for (const { id } of [one, one, other]) await approve(tenant, id);
  await setRequest(one.id, 'paid', { id: 'pay_1' });
  const path = fileOf(await exported(tenant.workspace));
  const { Items = [] } = await documents.send(
    new ScanCommand({
      TableName: table(),
      FilterExpression: 'payment_request IN (:one, :other)',
      ExpressionAttributeValues: { ':one': one.id, ':other': other.id },
    }),
  );
  const deletes = Items.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  await documents.send(new BatchWriteCommand({ RequestItems: { [table()]: deletes } }));
  await setRequest(one.id, 'pending', null);
  await setRequest(other.id, 'rejected', null);

  const [{ code, stderr }] = await Promise.all([
    admin('import', path),
    ...Array.from({ length: 12 }, () => approve(tenant, one.id)),
  ]);

  expect([code, stderr]).toEqual([0, '']);
  const [shown, left] = [
    await adminJson('payment-request', 'show', one.id),
    await adminJson('payment-request', 'show', other.id),
  ];
  expect(shown.approvals.length).toBe(14);
  expect(['approved', 'paid']).toContain(shown.status);
  expect([left.status, left.approvals.length]).toEqual(['rejected', 1]);
});
