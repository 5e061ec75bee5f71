import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { problemDetails, problemHeaders, problems } from '../../functions/domain/problem.ts';
import { serverOf } from '../support/servers.ts';
import { stack } from '../support/stack.ts';
import {
  newOffer,
  newPaymentRequest,
  newSandboxes,
  newTenant,
  type Tenant,
} from '../support/tenants.ts';
import { paymentsClient, sandboxes } from './payments-client.ts';

describe('a client of the types of openapi.json', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await newTenant();
  });

  test('approves a payment request', async () => {
    const { id } = await newPaymentRequest(tenant.workspace);
    const { data, error } = await paymentsClient(stack.url, tenant.token).POST(
      '/v1/payment-requests/{id}/approve',
      { params: { path: { id } }, body: { approver: tenant.manager } },
    );
    expect(error).toBeUndefined();
    expect(data?.approvals).toHaveLength(1);
    expectTypeOf(data?.status).toEqualTypeOf<
      'draft' | 'pending' | 'approved' | 'rejected' | 'paid' | 'cancelled' | undefined
    >();
  });

  test('walks all pages of a list', async () => {
    const made = await newSandboxes(tenant.workspace, 7);
    const ids: string[] = [];
    for await (const { id } of sandboxes(paymentsClient(stack.url, tenant.token), 3)) ids.push(id);
    expect(ids).toEqual(made.map(({ id }) => id).reverse());
  });

  test('knows the errors', async () => {
    const { id } = await newOffer(tenant.workspace, { status: 'draft' });
    const { error } = await paymentsClient(stack.url, tenant.token).POST('/v1/offers/{id}/resend', {
      params: { path: { id } },
    });
    expect([error?.status, error?.code]).toEqual([409, 'offer_not_sent']);
    expectTypeOf<'offer_not_sent'>().toExtend<NonNullable<typeof error>['code']>();
    expectTypeOf<'not_a_manager'>().not.toExtend<NonNullable<typeof error>['code']>();
  });

  test('is used as the README shows it', async () => {
    const readme = readFileSync('lib/openapi/README.md', 'utf8');
    const samples = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
    expect(samples).toEqual([readFileSync('test/client/example.ts', 'utf8')]);

    const { workspace, token } = await newTenant();
    const [{ name } = { name: '' }] = await newSandboxes(workspace, 1);
    const { id } = await newOffer(workspace);
    const { stdout } = await promisify(execFile)(process.execPath, [
      'test/client/example.ts',
      ...[stack.url, token, id],
    ]);
    expect(stdout).toBe(`${name} ready\n1\n`);
  });

  test('sends an offer once, though the first answer is lost', async () => {
    const { id } = await newOffer(tenant.workspace);
    const client = paymentsClient(await losingFirstAnswer(), tenant.token);
    const { data, response } = await client.POST('/v1/offers/{id}/resend', {
      params: { path: { id }, header: { 'Idempotency-Key': crypto.randomUUID() } },
    });
    expect(data?.delivery.attempts).toBe(1);
    expect(response.headers.get('Idempotent-Replayed')).toBe('true');
  });

  test('does not repeat a request that could have two effects', async () => {
    const { id } = await newOffer(tenant.workspace);
    const client = paymentsClient(await losingFirstAnswer(), tenant.token);
    const resend = () => client.POST('/v1/offers/{id}/resend', { params: { path: { id } } });
    await expect(resend()).rejects.toThrow('fetch failed');
    expect((await resend()).data?.delivery.attempts).toBe(2);
  });
});

describe('a client whose request is answered with a problem', () => {
  const resend = async (code: 'unavailable' | 'outcome_unknown', key?: string) => {
    let asked = 0;
    const url = await serverOf((incoming, outgoing) => {
      asked += 1;
      incoming.resume();
      outgoing
        .writeHead(problems[code].status, problemHeaders(code))
        .end(JSON.stringify(problemDetails(code, 'Said by a test.', 'request-1')));
    });
    const { error } = await paymentsClient(url, 'token').POST('/v1/offers/{id}/resend', {
      params: { path: { id: 'ofr_1' }, ...(key && { header: { 'Idempotency-Key': key } }) },
    });
    expect(error?.code).toBe(code);
    return asked;
  };

  test.each([
    ['unavailable', undefined, 5],
    ['unavailable', 'key', 5],
    ['outcome_unknown', undefined, 1],
    ['outcome_unknown', 'key', 5],
  ] as const)('%s, with the key %s, sends it %i times', async (code, key, times) => {
    expect(await resend(code, key)).toBe(times);
  });
});

/** The service behind a connection that breaks when the first answer is on its way. */
const losingFirstAnswer = (): Promise<string> => {
  let lost = false;
  return serverOf((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    const passed = request(`${stack.url}${url}`, { method, headers }, (response) => {
      if (!lost) outgoing.destroy();
      lost = true;
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
};
