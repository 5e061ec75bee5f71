import type { APIGatewayProxyEvent } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { answerOf } from '../support/answers.ts';
import { messages, requestTo, type Sent } from '../support/events.ts';
import { useFunctions } from '../support/functions.ts';
import { itemsUnder } from '../support/operations.ts';
import { newOffer, newPaymentRequest, newTenant, type Tenant } from '../support/tenants.ts';

const { deployed } = await useFunctions();

const tokenId = `tok_${newOpaque()}`;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await newTenant();
});

/** An operation, and where its effects are. */
interface Effect {
  readonly route: Route;
  readonly prepare: () => Promise<{ sent: Partial<Sent>; under: { pk: string; sk: string } }>;
}

const effects: Record<string, Effect> = {
  'the first approval': {
    route: routes.approvePaymentRequest,
    prepare: async () => {
      const { id } = await newPaymentRequest(tenant.workspace);
      return { sent: { id, body: { approver: tenant.manager } }, under: keys.approval(id, '') };
    },
  },
  'another approval': {
    route: routes.approvePaymentRequest,
    prepare: async () => {
      const { id } = await newPaymentRequest(tenant.workspace, { status: 'approved' });
      return { sent: { id, body: { approver: tenant.manager } }, under: keys.approval(id, '') };
    },
  },
  'a sandbox': {
    route: routes.createSandbox,
    prepare: async () => {
      const { workspace, account } = await newTenant();
      const sent = { tenant: { workspace, account }, body: { name: 'Mine' } };
      return { sent, under: keys.sandbox(workspace, '') };
    },
  },
  'a delivery attempt': {
    route: routes.resendOffer,
    prepare: async () => {
      const { id } = await newOffer(tenant.workspace);
      return { sent: { id }, under: keys.delivery(id, '') };
    },
  },
};

const request = (route: Route, sent: Partial<Sent>, token: object = { token_id: tokenId }) => {
  const event = requestTo(route, { tenant, ...sent });
  const { requestId = '', authorizer } = event.requestContext ?? {};
  const requestContext = { requestId, authorizer: { ...authorizer, ...token } };
  return { ...event, requestContext } as Partial<APIGatewayProxyEvent> & {
    requestContext: { requestId: string };
  };
};

const authorsUnder = async (key: { pk: string; sk: string }) =>
  (await itemsUnder(key)).map(({ author }) => author);

describe.each(Object.entries(effects))('the author of %s', (_, { route, prepare }) => {
  const lambda = deployed(route.functionName);

  test('is its token and its request, and no answer shows it', async () => {
    const { sent, under } = await prepare();
    const event = request(route, sent);
    const { status, text } = await answerOf(lambda, event);
    expect(status).toBe(route.status);
    expect(text).not.toContain(tokenId);
    expect(text).not.toContain(event.requestContext.requestId);
    expect(await authorsUnder(under)).toEqual([
      { actor: tokenId, request: event.requestContext.requestId, version: 'v1' },
    ]);
  });

  test('stays the first one when the request is repeated', async () => {
    const { sent, under } = await prepare();
    const key = newOpaque();
    const first = request(route, { ...sent, key });
    await answerOf(lambda, first);
    const again = await answerOf(
      lambda,
      request(route, { ...sent, key }, { token_id: `tok_${newOpaque()}` }),
    );
    expect(again.headers['Idempotent-Replayed']).toBe('true');
    expect(await authorsUnder(under)).toMatchObject([
      { actor: tokenId, request: first.requestContext.requestId },
    ]);
  });
});

test('a request id that the client chose is cut down to what a tag of a mail takes', async () => {
  const { id } = await newOffer(tenant.workspace);
  const event = request(routes.resendOffer, { id });
  event.requestContext.requestId = `<é "${'x'.repeat(300)}`;
  await answerOf(deployed('resend-offer'), event);
  expect(await authorsUnder(keys.delivery(id, ''))).toMatchObject([
    { request: `____${'x'.repeat(96)}` },
  ]);
});

test('everything that is made for a sandbox has its author', async () => {
  const author = { actor: tokenId, request: newOpaque(), version: 'v1' };
  const now = new Date().toISOString();
  const sandbox = newSandbox(tenant.workspace, { name: 'Mine' }, newOpaque(), now);
  await saveNewSandbox(sandbox, author);
  const message = {
    request_id: author.request,
    workspace: tenant.workspace,
    sandbox: sandbox.id,
  };
  expect(await deployed('provision-sandbox').invoke(messages(JSON.stringify(message)))).toEqual({
    batchItemFailures: [],
  });
  const items = await Array.fromAsync(
    scan({
      FilterExpression: 'contains(pk, :opaque) OR contains(sk, :opaque)',
      ExpressionAttributeValues: { ':opaque': sandbox.id.slice('sbx_'.length) },
    }),
  );
  expect(items.map((item) => item.author)).toEqual(Array.from({ length: 6 }, () => author));
});
