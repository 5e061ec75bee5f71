import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { scan } from '../../bin/admin/table/scan.ts';
import type { Route } from '../../functions/domain/routes.ts';
import { newSandbox } from '../../functions/domain/sandbox.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { saveNewSandbox } from '../../functions/store/sandboxes.ts';
import { answerOf } from '../support/answers.ts';
import { messages, requestTo, type Sent } from '../support/events.ts';
import { useFunctions } from '../support/functions.ts';
import {
  operations,
  type PreparableOperation,
  type PreparedRequest,
} from '../support/prepared-requests.ts';

const { deployed, tenant } = await useFunctions();

const tokenId = `tok_${newOpaque()}`;

const request = (route: Route, sent: Partial<Sent>, token: object = { token_id: tokenId }) => {
  const event = requestTo(route, { tenant, ...sent });
  const { requestId = '', authorizer } = event.requestContext ?? {};
  const requestContext = { requestId, authorizer: { ...authorizer, ...token } };
  return { ...event, requestContext } as Partial<APIGatewayProxyEvent> & {
    requestContext: { requestId: string };
  };
};

const authorsOf = async ({ items }: PreparedRequest) => (await items()).map(({ author }) => author);

describe.each(operations)('the author of the effect of $name', ({ route, prepare }) => {
  const lambda = deployed(route.functionName);

  test('is its token and its request, and no answer shows it', async () => {
    const intent = await prepare(tenant);
    const event = request(route, intent.request);
    const { status, text } = await answerOf(lambda, event);
    expect(status).toBe(route.status);
    expect(text).not.toContain(tokenId);
    expect(text).not.toContain(event.requestContext.requestId);
    expect(await authorsOf(intent)).toEqual([
      { actor: tokenId, request: event.requestContext.requestId, version: 'v1' },
    ]);
  });

  test('stays the first one when the request is repeated', async () => {
    const intent = await prepare(tenant);
    const sent = intent.request;
    const key = newOpaque();
    const first = request(route, { ...sent, key });
    await answerOf(lambda, first);
    const again = await answerOf(
      lambda,
      request(route, { ...sent, key }, { token_id: `tok_${newOpaque()}` }),
    );
    expect(again.headers['Idempotent-Replayed']).toBe('true');
    expect(await authorsOf(intent)).toMatchObject([
      { actor: tokenId, request: first.requestContext.requestId },
    ]);
  });
});

test('a request id that the client chose is cut down to what a tag of a mail takes', async () => {
  const [resend] = operations as [PreparableOperation];
  const intent = await resend.prepare(tenant);
  const event = request(resend.route, intent.request);
  event.requestContext.requestId = `<é "${'x'.repeat(300)}`;
  await answerOf(deployed('resend-offer'), event);
  expect(await authorsOf(intent)).toMatchObject([{ request: `____${'x'.repeat(96)}` }]);
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
