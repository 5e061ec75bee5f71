import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { countOf } from '../../bin/admin/terminal/print.ts';
import type { SandboxEvent } from '../../lib/client/payments-client.ts';
import { parseLines } from '../support/json-lines.ts';
import { serverOf } from '../support/servers.ts';
import { newTenant, type Tenant } from '../support/tenants.ts';
import { admin, createSandbox, startAdminProcess } from './run-admin.ts';

/** Before this file's first event. */
const start = new Date().toISOString();

interface Posted {
  readonly event: SandboxEvent;
  readonly headers: IncomingMessage['headers'];
}

/** A handler of the events of a workspace; it takes every other one. */
const handlerOf = async (
  { workspace }: Tenant,
  answer: (response: ServerResponse, name: string) => unknown,
) => {
  const posted: Posted[] = [];
  const url = await serverOf(async (incoming, outgoing) => {
    const event = (await json(incoming)) as SandboxEvent;
    if (event.workspace !== workspace) return outgoing.end();
    posted.push({ event, headers: incoming.headers });
    return answer(outgoing, event.data.name);
  });
  return { url: `${url}/hook`, posted };
};

test('--follow --forward-to posts each event of a type', async () => {
  const tenant = await newTenant();
  const { url, posted } = await handlerOf(tenant, (response) => response.end());
  const { child, run } = startAdminProcess([
    ...['events', '--follow', '--forward-to', url, '--type', 'sandbox.ready'],
  ]);
  const [remark] = await once(child.stderr, 'data');
  expect(`${remark}`).toBe('Waiting for events. Ctrl-C ends this.\n');
  await createSandbox(tenant, 'Forwarded');
  await expect.poll(() => posted.length).toBeGreaterThan(0);
  child.kill('SIGINT');
  const { code, stdout } = await run;
  expect(code).toBe(0);

  const [{ event, headers }] = posted as [Posted];
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Amazon/EventBridge/ApiDestinations',
  });
  expect(new Set(posted.map((each) => each.event.type))).toEqual(new Set(['sandbox.ready']));
  const { stdout: archived } = await admin('events', '--since', event.time, '--json');
  expect(archived.split('\n')).toContain(JSON.stringify(event));
  const line = `${event.time}  sandbox\\.ready +${event.data.id} +200 +\\d+ ms$`;
  expect(stdout).toMatch(new RegExp(line, 'm'));
});

test('--since --forward-to posts archived events, each once', async () => {
  const tenant = await newTenant();
  const { url, posted } = await handlerOf(tenant, (response, name) => {
    if (name === 'hangs') return undefined;
    if (name === 'closes') return response.destroy();
    const status = { fails: 500, takes: 204, refuses: 400, redirects: 302 }[name];
    return response.writeHead(status ?? 200).end();
  });
  const ids: Record<string, string> = {};
  for (const name of ['takes', 'fails', 'hangs', 'refuses', 'redirects', 'closes']) {
    ids[name] = await createSandbox(tenant, name);
  }
  const ready = ['events', '--since', start, '--type', 'sandbox.ready', '--json'];
  const archived = async () => parseLines((await admin(...ready)).stdout).map(({ id }) => id);
  await expect
    .poll(archived)
    .toEqual(expect.arrayContaining(Object.values(ids).map((id) => `evt_${id}_ready`)));

  const { code, stdout, stderr } = await admin(...ready, '--forward-to', url);

  const lines = parseLines(stdout);
  const lineOf = (name: string) => lines.find(({ id }) => id === `evt_${ids[name]}_ready`);
  const type = 'sandbox.ready';
  const duration_ms = expect.any(Number);
  expect(lineOf('takes')).toMatchObject({ type, status: 204, duration_ms });
  expect(lineOf('fails')).toMatchObject({ status: 500 });
  expect(lineOf('hangs')).toMatchObject({ error: expect.stringContaining('timeout') });
  expect(lineOf('refuses')).toMatchObject({ status: 400 });
  expect(lineOf('redirects')).toMatchObject({ status: 302 });
  expect(lineOf('closes')).toMatchObject({ error: 'other side closed' });
  expect(posted).toHaveLength(6);
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toEqual({ error: '5 events could not be forwarded.', exit_code: 1 });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('after %s --since --forward-to ends with %i and the count', async (signal, code) => {
  const tenant = await newTenant();
  await createSandbox(tenant, 'Forwarded');
  const since = ['events', '--since', start, '--json'];
  await expect.poll(async () => (await admin(...since)).stdout).toContain(tenant.workspace);
  const { url, posted } = await handlerOf(tenant, (response) => response.writeHead(400).end());
  const { child, run } = startAdminProcess([...since, '--forward-to', url]);
  await expect.poll(() => posted.length).toBeGreaterThan(0);
  child.kill(signal);

  const { code: exitCode, stdout, stderr } = await run;

  const count = countOf(parseLines(stdout).length, 'event');
  const error = expect.stringMatching(
    `^Interrupted after ${count}; there may be more. \\d+ events? could not be forwarded.$`,
  );
  expect([exitCode, JSON.parse(stderr)]).toEqual([code, { error, exit_code: code }]);
});
