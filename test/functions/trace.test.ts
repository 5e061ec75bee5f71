import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { routes } from '../../functions/domain/routes.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { sandboxItem } from '../../functions/store/sandboxes.ts';
import { inserted, messages, requestTo } from '../support/function-events.ts';
import { waitingSandbox } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { useFunctions } from '../support/use-functions.ts';

const { deployed } = await useFunctions();

/** Plays the daemon of X-Ray. */
const daemon = createSocket('udp4');
const documents: Record<string, unknown>[] = [];
daemon.on('message', (bytes) => {
  const [header = '', document = ''] = String(bytes).split('\n');
  expect(JSON.parse(header)).toEqual({ format: 'json', version: 1 });
  documents.push(JSON.parse(document));
});
daemon.bind(0, '127.0.0.1');
await once(daemon, 'listening');
afterAll(() => daemon.close());

const root = '1-581cf771-a006649127e371903a2de979';
const traced = (name: string, sampled = 1) =>
  deployed(name, {
    AWS_XRAY_DAEMON_ADDRESS: `127.0.0.1:${daemon.address().port}`,
    _X_AMZN_TRACE_ID: `Root=${root};Parent=53995c3f42cd8ad8;Sampled=${sampled};Lineage=1:a:0`,
  });

const workspace = `wsp_${newOpaque()}`;
const sandbox = waitingSandbox(workspace);

const annotated = (annotations: object) =>
  expect
    .poll(() => documents)
    .toContainEqual({
      type: 'subsegment',
      name: 'ids',
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      trace_id: root,
      parent_id: '53995c3f42cd8ad8',
      start_time: expect.any(Number),
      end_time: expect.any(Number),
      annotations,
    });

test('a sampled trace is annotated with the request, the workspace and the effect', async () => {
  const event = requestTo(routes.listSandboxes, { tenant: { workspace, account: 'acc_1' } });
  await traced('list-sandboxes').invoke(event);
  const { requestId, authorizer } = event.requestContext ?? {};
  await annotated({ request_id: requestId, workspace, token: authorizer?.token_id });

  const message = { request_id: author.request, workspace, sandbox: sandbox.id };
  await traced('relay-outbox').invoke(inserted({ ...sandboxItem(sandbox), author }));
  await annotated(message);
  documents.length = 0;
  await traced('provision-sandbox').invoke(messages(JSON.stringify(message)));
  await annotated(message);
});

test('a trace that is not sampled is not annotated', async () => {
  documents.length = 0;
  const event = requestTo(routes.listSandboxes, { tenant: { workspace, account: 'acc_1' } });
  await traced('list-sandboxes', 0).invoke(event);
  await traced('list-sandboxes').invoke(event);
  await expect.poll(() => documents).toHaveLength(1);
});
