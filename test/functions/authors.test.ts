import type { APIGatewayAuthorizerResult, APIGatewayProxyEvent } from 'aws-lambda';
import { beforeAll, describe, expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { tokenItem } from '../../functions/store/tokens.ts';
import { answerOf } from '../support/answers.ts';
import { authorization, messages, requestTo, type Sent } from '../support/events.ts';
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

/** A request of the token `token_id`, or of one that an authorizer of an earlier version let through. */
const request = (route: Route, sent: Partial<Sent>, context: object = { token_id: tokenId }) => {
  const event = requestTo(route, { tenant, ...sent });
  const { requestId = '', authorizer } = event.requestContext ?? {};
  const requestContext = { requestId, authorizer: { ...authorizer, ...context } };
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

  test('is an unnamed token if the authorizer was an earlier version', async () => {
    const { sent, under } = await prepare();
    const { status } = await answerOf(lambda, request(route, sent, {}));
    expect(status).toBe(route.status);
    expect(await authorsUnder(under)).toMatchObject([{ actor: `tok_${'0'.repeat(26)}` }]);
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

describe('everything that is made for a sandbox', () => {
  const lambda = deployed('provision-sandbox');
  const provision = async (author?: object) => {
    const sandbox = newSandbox(
      tenant.workspace,
      { name: 'Mine' },
      newOpaque(),
      new Date().toISOString(),
    );
    await commitNew({ ...sandboxItem(sandbox), author });
    const message = JSON.stringify({ workspace: tenant.workspace, sandbox: sandbox.id });
    expect(await lambda.invoke(messages(message))).toEqual({ batchItemFailures: [] });
    const opaque = sandbox.id.slice('sbx_'.length);
    const items = await Array.fromAsync(
      scan({
        FilterExpression: 'contains(pk, :opaque) OR contains(sk, :opaque)',
        ExpressionAttributeValues: { ':opaque': opaque },
      }),
    );
    expect(items).toHaveLength(6);
    return items;
  };

  test('has its author', async () => {
    const author = { actor: tokenId, request: newOpaque(), version: 'v1' };
    for (const item of await provision(author)) expect(item.author).toEqual(author);
  });

  test('has none if it has none, as a sandbox of an earlier version', async () => {
    for (const item of await provision()) expect(item).not.toHaveProperty('author');
  });
});

describe('a token that an earlier version issued, without an id', () => {
  const authorizer = deployed('authorize');
  const secret = `wfp_live_${'e'.repeat(43)}`;
  const idOf = async (text: string) => {
    const event = authorization(routes.listSandboxes, `Bearer ${text}`);
    const { context } = (await authorizer.invoke(event)) as APIGatewayAuthorizerResult;
    return String(context?.token_id);
  };
  const issue = async (text: string) => {
    const { id: _, ...earlier } = tokenItem(text, {
      id: '',
      workspace: tenant.workspace,
      account: tenant.account,
      scopes: '',
      expires_at: '2099-01-01T00:00:00.000Z',
      created: '2026-11-01T00:00:00.000Z',
    });
    await commitNew(earlier);
    return earlier.pk;
  };

  test('works, with an id that is always the same and says neither the hash nor the token', async () => {
    const pk = await issue(secret);
    const id = await idOf(secret);
    expect(id).toMatch(/^tok_0{10}[0-9A-F]{16}$/);
    expect(await idOf(secret)).toBe(id);
    expect(pk.toUpperCase()).not.toContain(id.slice('tok_0000000000'.length));
    const other = secret.replaceAll('e', 'f');
    await issue(other);
    expect(await idOf(other)).not.toBe(id);
  });
});
