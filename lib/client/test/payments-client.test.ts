import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { stack } from '../../../test/support/running-stack.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  type Tenant,
} from '../../../test/support/tenants.ts';
import {
  type PaymentsClient,
  type PaymentsError,
  paymentsClient,
  type Sandbox,
} from '../payments-client.ts';
import { errorOf } from './given-responses.ts';

/** A client whose requests are counted, and read pages of this length, if one is given. */
const counting = (token: string, limit?: string) => {
  const requests: URL[] = [];
  const counted: typeof fetch = (input, init) => {
    const url = new URL(`${input}`);
    if (limit) url.searchParams.set('limit', limit);
    requests.push(url);
    return fetch(url, init);
  };
  return { client: paymentsClient({ baseUrl: stack.url, token, fetch: counted }), requests };
};

describe('a client', () => {
  let tenant: Tenant;
  let client: PaymentsClient;
  beforeAll(async () => {
    tenant = await newTenant();
    client = paymentsClient({ baseUrl: `${stack.url}/`, token: tenant.token });
  });

  test('approves a payment request, once for a key', async () => {
    const { id } = await newPaymentRequest(tenant.workspace);
    const approve = (key?: string) => client.approve(id, { approver: tenant.manager }, { key });
    const first = await approve('key-1');
    expect(await approve('key-1')).toEqual(first);
    expect((await approve()).approvals).toHaveLength(2);
    expect((await approve()).approvals).toHaveLength(3);
    expectTypeOf(first.status).toEqualTypeOf<
      'draft' | 'pending' | 'approved' | 'rejected' | 'paid' | 'cancelled'
    >();
  });

  test('creates a sandbox and waits until it is ready', async () => {
    const sandbox = await client.createSandbox({ name: 'Of a client' });
    const ready = await client.waitUntilReady(sandbox);
    expect(ready).toMatchObject({ id: sandbox.id, status: 'ready' });
    expect(await client.waitUntilReady(ready)).toBe(ready);
  });

  test('reports a problem with its code, its request and every fault', async () => {
    const { id } = await newOffer(tenant.workspace, { status: 'draft' });
    expect(await errorOf(client.resendOffer(id, { key: 'mine' }))).toMatchObject({
      code: 'offer_not_sent',
      status: 409,
      message: expect.stringMatching(/^offer_not_sent: .*draft/),
      requestId: expect.any(String),
      errors: [],
      key: 'mine',
      effect: 'unknown',
    });
    const { errors } = await errorOf(client.createSandbox({ name: '' }));
    expect(errors).toMatchObject([{ pointer: '/name', code: 'too_short' }]);
    expectTypeOf<'offer_not_sent'>().toExtend<PaymentsError['code']>();
    expectTypeOf<'unknown_code'>().not.toExtend<PaymentsError['code']>();
  });

  test('walks the list from the newest, after a sandbox and before one, page by page', async () => {
    const { workspace, token } = await newTenant();
    const ids = (await newSandboxes(workspace, 7)).map(({ id }) => id);
    const { client: walker, requests: pages } = counting(token, '2');
    const idsOf = async (walk?: Parameters<PaymentsClient['sandboxes']>[0]) =>
      (await Array.fromAsync(walker.sandboxes(walk))).map(({ id }) => id);

    expect(await idsOf()).toEqual(ids.toReversed());
    expect(pages).toHaveLength(4);
    expect(pages.filter(({ searchParams }) => searchParams.has('cursor'))).toEqual([]);
    expect(await idsOf({ after: ids[5] })).toEqual(ids.slice(0, 5).reverse());
    expect(await idsOf({ before: ids[1] })).toEqual(ids.slice(2));
    expect(await errorOf(idsOf({ after: ids[0], before: ids[1] }))).toMatchObject({
      code: 'conflicting_parameters',
      effect: 'none',
    });
  });

  test('finds a sandbox next to its neighbour, however many are newer', async () => {
    const { workspace, token } = await newTenant();
    const [oldest, middle, newest] = await newSandboxes(workspace, 3);
    const { client: waiting, requests } = counting(token);
    for (const sandbox of [oldest, middle, newest]) {
      const provisioning = { ...sandbox, status: 'provisioning' } as Sandbox;
      expect(await waiting.waitUntilReady(provisioning)).toMatchObject({ id: sandbox?.id });
    }
    expect(requests).toHaveLength(6);
    for (const { searchParams } of requests) expect(searchParams.get('limit')).toBe('1');
  });

  test('a walk ends when it is aborted, also within a page', async () => {
    const { workspace, token } = await newTenant();
    await newSandboxes(workspace, 3);
    const walker = paymentsClient({ baseUrl: stack.url, token });
    const stop = new AbortController();
    const seen: Sandbox[] = [];
    const walk = async () => {
      for await (const sandbox of walker.sandboxes({ signal: stop.signal })) {
        seen.push(sandbox);
        stop.abort(new Error('Enough.'));
      }
    };
    expect(await errorOf(walk())).toMatchObject({ code: 'aborted', effect: 'none' });
    expect(seen).toHaveLength(1);
  });
});
