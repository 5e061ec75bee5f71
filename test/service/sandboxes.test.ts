import { beforeAll, describe, expect, test } from 'vitest';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque, newStamp } from '../../functions/runtime/stamp.ts';
import { saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { findSummary } from '../support/delivery-attempts.ts';
import { given, tooLong } from '../support/given-service.ts';
import { call } from '../support/http.ts';
import { makeReady, newSandboxes, newTenant, newToken, type Tenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';

const create = (tenant: Tenant, body: unknown, key?: string) =>
  call('POST', '/v1/sandboxes', { token: tenant.token, body, ...(key && { key }) });

const list = (tenant: Pick<Tenant, 'token'>, query = '') =>
  call('GET', `/v1/sandboxes${query}`, { token: tenant.token });

const newestOf = async (tenant: Tenant) => (await list(tenant)).body.sandboxes[0];

/** Every page of a walk, by following cursors. */
const walk = async (tenant: Tenant, query: string) => {
  const pages: string[][] = [];
  let next = query;
  for (;;) {
    const { status, body } = await list(tenant, next);
    expect(status).toBe(200);
    pages.push(body.sandboxes.map(({ id }: { id: string }) => id));
    if (!body.cursor) return pages;
    const limit = /limit=\d+/.exec(query)?.[0] ?? '';
    next = `?${limit}&cursor=${body.cursor}`;
  }
};

describe('POST /v1/sandboxes', () => {
  test('returns 201 with a sandbox that is provisioning, and it becomes ready', async () => {
    const tenant = await newTenant();

    const { status, body } = await create(tenant, { name: '  My sandbox ' });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^sbx_/),
      name: 'My sandbox',
      status: 'provisioning',
      workspace: tenant.workspace,
      sandbox_workspace: expect.stringMatching(/^wsp_test_/),
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated: body.created,
    });
    await expect
      .poll(() => newestOf(tenant))
      .toEqual({ ...body, status: 'ready', updated: expect.any(String) });
    expect((await newestOf(tenant)).updated > body.updated).toBe(true);
  });

  test('gives a test workspace in which one can approve and resend', async () => {
    const tenant = await newTenant();
    const { body: sandbox } = await create(tenant, { name: 'Complete' });
    await expect.poll(() => newestOf(tenant)).toMatchObject({ status: 'ready' });
    const opaque = sandbox.id.slice('sbx_'.length);
    const workspace = sandbox.sandbox_workspace;
    const token = await newToken({ workspace, account: `acc_test_${opaque}` });

    const approved = await call('POST', `/v1/payment-requests/ptr_${opaque}/approve`, {
      token,
      body: { approver: '00000000-0000-4000-8000-000000000001' },
    });
    const resent = await call('POST', `/v1/offers/ofr_${opaque}/resend`, { token });

    expect([approved.status, approved.body.approvals.length]).toEqual([200, 1]);
    expect([resent.status, resent.body.delivery.attempts]).toEqual([200, 2]);
    const simulated = () => findSummary(`ofr_${opaque}`);
    await expect.poll(simulated).toMatchObject({ last_attempt: { status: 'simulated' } });
    const theirs = await call('POST', `/v1/offers/ofr_${opaque}/resend`, { token: tenant.token });
    expect(theirs.body.code).toBe('offer_not_found');
  });

  test('shows a sandbox whose name would be refused today', async () => {
    const tenant = await newTenant();
    const { opaque, created } = newStamp();
    const sandbox = newSandbox(tenant.workspace, { name: '\u200b\u202e' }, opaque, created);
    await saveNewSandbox(sandbox, author);
    expect((await list(tenant)).body.sandboxes).toMatchObject([{ name: '\u200b\u202e' }]);
  });
});

describe('GET /v1/sandboxes', () => {
  let tenant: Tenant;
  let newestFirst: string[] = [];
  beforeAll(async () => {
    tenant = await newTenant();
    if (given?.token) return;
    newestFirst = (await newSandboxes(tenant.workspace, 250)).map(({ id }) => id).reverse();
  });

  test('returns the ten newest by default, newest first', async () => {
    const { body } = await list(tenant);
    expect(body.sandboxes.map(({ id }: { id: string }) => id)).toEqual(newestFirst.slice(0, 10));
    expect(body.cursor).toEqual(expect.any(String));
  });

  test('gives only the sandboxes of its own workspace', async () => {
    expect((await list(await newTenant())).body).toEqual({ sandboxes: [] });
  });

  test.each([7, 100])(
    'sees each of 250 sandboxes once in pages of %i, towards older ones',
    async (limit) => {
      const pages = await walk(tenant, `?limit=${limit}`);
      expect(pages.flat()).toEqual(newestFirst);
      expect(pages).toHaveLength(Math.ceil(250 / limit));
    },
  );

  test('starts after or ends before a sandbox, without it', async () => {
    const middle = newestFirst[100];
    const after = await walk(tenant, `?limit=100&starting_after=${middle}`);
    expect(after.flat()).toEqual(newestFirst.slice(101));
    const { body } = await list(tenant, `?limit=5&ending_before=${middle}`);
    expect(body.sandboxes.map(({ id }: { id: string }) => id)).toEqual(newestFirst.slice(95, 100));
  });

  test('has a cursor if and only if there is more', async () => {
    const small = await newTenant();
    const [oldest] = await newSandboxes(small.workspace, 10);
    expect(Object.keys((await list(small)).body)).toEqual(['sandboxes']);
    expect(Object.keys((await list(small, '?limit=9')).body)).toEqual(['sandboxes', 'cursor']);
    const newer = `ending_before=${oldest?.id}`;
    const { sandboxes } = (await list(small)).body;
    expect(Object.keys((await list(small, `?limit=9&${newer}`)).body)).toEqual(['sandboxes']);
    expect(Object.keys((await list(small, `?limit=8&${newer}`)).body)).toContain('cursor');
    const nothing = { sandboxes: [] };
    expect((await list(small, `?starting_after=${oldest?.id}`)).body).toEqual(nothing);
    expect((await list(small, `?ending_before=${sandboxes[0].id}`)).body).toEqual(nothing);
  });

  test.each(['older', 'newer'])(
    'a walk towards %s sandboxes lists each that exists throughout it exactly once',
    async (direction) => {
      const busy = await newTenant();
      const there = await newSandboxes(busy.workspace, 21, 'provisioning');
      const ids = there.map(({ id }) => id);
      const seen: string[] = [];
      let query = direction === 'older' ? '?limit=3' : `?limit=3&ending_before=${ids[0]}`;
      for (let page = 0; ; page++) {
        const { body } = await list(busy, query);
        seen.push(...body.sandboxes.map(({ id }: { id: string }) => id));
        if (!body.cursor) break;
        query = `?limit=3&cursor=${body.cursor}`;
        if (page > 4) continue;
        await newSandboxes(busy.workspace, 2);
        for (const sandbox of there.slice(page * 4, page * 4 + 4)) await makeReady(sandbox);
      }
      const walked = direction === 'older' ? ids : ids.slice(1);
      expect(seen.filter((id) => ids.includes(id)).sort()).toEqual([...walked].sort());
    },
  );

  test.each(['starting_after', 'ending_before'])(
    "returns %s with another tenant's sandbox, an unknown one and a malformed one alike",
    async (parameter) => {
      const [theirs] = await newSandboxes((await newTenant()).workspace, 1);
      for (const id of [theirs?.id, `sbx_${newOpaque()}`, 'nonsense', '', tooLong]) {
        const { status, body } = await list(tenant, `?${parameter}=${id}`);
        expect([status, body.code]).toEqual([400, 'resource_missing']);
        expect(body.errors).toEqual([
          { parameter, code: 'resource_missing', detail: 'No such sandbox in this workspace.' },
        ]);
      }
    },
  );

  test('refuses a cursor that is cut, extended, empty, padded or of another workspace', async () => {
    const { body } = await list(tenant);
    const foreign = await newTenant();
    await newSandboxes(foreign.workspace, 11);
    const theirs = (await list(foreign)).body.cursor;
    const mine: string = body.cursor;
    for (const cursor of [mine.slice(0, -1), `${mine}A`, '', `${mine}%3D`, 'x', 'AAAA', theirs]) {
      const response = await list(tenant, `?cursor=${cursor}`);
      expect([response.status, response.body.code]).toEqual([400, 'invalid_cursor']);
    }
  });
});

test('GET /v1/sandboxes leads from a page to the next one, with any token', async ({ skip }) => {
  let token = given?.token;
  if (!token) {
    const tenant = await newTenant();
    await newSandboxes(tenant.workspace, 2);
    token = tenant.token;
  }
  const { body: first } = await list({ token }, '?limit=1');
  skip(Boolean(given?.token && !first.cursor), 'The list has one page.');
  const { body: second } = await list({ token }, `?limit=1&cursor=${first.cursor}`);
  expect(second.sandboxes[0].id < first.sandboxes[0].id).toBe(true);
});
