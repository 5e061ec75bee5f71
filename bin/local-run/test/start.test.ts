import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { demo } from '../../../functions/contract/demo.ts';
import { eventSource } from '../../../functions/domain/events.ts';
import { startDynamodb } from '../../../lib/local/local-engine.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { type Response, sendRequest } from '../../../test/support/send-request.ts';
import { closedAddress, portToTake, serverOf } from '../../../test/support/servers.ts';
import { childrenOf, type LocalRun, startLocalRun } from '../../../test/support/start-local-run.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { readStackFile, type StackFile } from '../../stack-file/stack-file.ts';
import { stackFilePath } from '../../stack-file/stack-file-path.ts';
import { copyOfProject, edited, isRunning, start } from './start.ts';

const token = demo.tokens.live;

/** Takes a port until the test ends. */
const take = async (port: number, host = '127.0.0.1'): Promise<number> => {
  const server = createServer().listen(port, host);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

test('a request before the run is ready is refused or gets 503, then the data, until the database ends', async () => {
  const port = await portToTake();
  const run = start(['--port', String(port)]);
  const early: Response[] = [];
  let response: Response | undefined;
  while (!response || response.status === 503) {
    if (response) early.push(response);
    if (run.child.exitCode !== null) throw new Error(run.output());
    const address = `http://127.0.0.1:${port}/v1/sandboxes`;
    response = await sendRequest(address, 'GET', { token }).catch(() => sleep(5, undefined));
  }
  expect(response.status).toBe(200);
  expect(early.every(({ headers }) => headers.has('Retry-After'))).toBe(true);
  await run.welcomed();
  expect(run.output()).toMatch(
    /\d s {2}Starting DynamoDB Local[\s\S]*\d s {2}Loading the demo data/,
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(run.output()).not.toMatch(/\x1b/);

  const [java = 0] = childrenOf(run.child.pid).flatMap(childrenOf);
  process.kill(java, 'SIGKILL');
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain('DynamoDB Local has ended');
});

test('a run has its stack file alone, and leaves it to the next one, however it ends', async () => {
  const directory = temporaryDirectory();
  const env = { ...childEnvironment(), TMPDIR: temporaryDirectory() };
  const startHere = (...args: string[]) => start(args, { directory, env });
  const path = join(directory, stackFilePath);
  // At once, one gets it.
  const two = [startHere(), startHere()];
  const refused = await Promise.race(two.map((run) => run.ended.then(() => run)));
  expect(refused.child.exitCode).toBe(1);
  expect(refused.output()).toContain('it belongs to another run, which is starting');
  const [owner] = two.filter((run) => run !== refused) as [LocalRun];
  const { url, pid } = await owner.welcomed();

  // In other words too.
  const late = startHere('--stack-file', path);
  expect(await late.ended).toBe(1);
  expect(late.output()).toContain(`it belongs to another run, process ${pid} at ${url}.`);
  expect(late.output()).not.toContain('undling');

  const ownPath = '.local/of its own/stack.json';
  const other = startHere('--stack-file', ownPath);
  expect((await other.welcomed(ownPath)).pid).toBe(other.child.pid);
  expect(other.output()).toContain(`find this run with --stack-file ${join(directory, ownPath)}.`);
  // As when its terminal is closed.
  other.child.kill('SIGHUP');
  await other.ended;
  expect(readdirSync(join(directory, '.local/of its own'))).toEqual([]);
  expect(readStackFile(path).pid).toBe(pid);

  owner.child.kill('SIGKILL');
  await owner.ended;
  // The folder of its database goes when that has ended.
  await expect.poll(() => readdirSync(env.TMPDIR)).toEqual([]);
  const next = startHere();
  expect((await next.welcomed()).pid).toBe(next.child.pid);
  next.child.kill('SIGINT');
  expect(await next.ended).toBe(0);
  expect(next.output()).toMatch(/Stopping/);
  expect(readdirSync(join(directory, '.local'))).toEqual(['of its own']);
});

test('a run on a database that goes on finds the data of the run before', async () => {
  const { url: database, stop } = await startDynamodb();
  onTestFinished(stop);
  const dynamodb = await FaultProxy.start(database);
  onTestFinished(() => dynamodb.stop());
  // On a busy machine a write may take as long.
  const fault = { kind: 'delayResponse', delayMs: 2500 } as const;
  dynamodb.inject({ operation: 'PutItem', about: demo.offers.bouncing, fault });
  const sandboxes = async ({ url }: StackFile) =>
    (await sendRequest(`${url}/v1/sandboxes`, 'GET', { token })).body.sandboxes;
  const first = start(['--dynamodb', dynamodb.url]);
  const { url } = await first.welcomed();
  await sendRequest(`${url}/v1/sandboxes`, 'POST', { token, body: { name: 'Kept' } });
  first.child.kill('SIGKILL');
  await first.ended;

  const events: { type: string }[] = [];
  const handler = await serverOf(async (request, response) => {
    events.push(JSON.parse(await text(request)));
    response.writeHead(418).end();
  });
  const next = start(['--dynamodb', dynamodb.url, '--forward-to', `${handler}/hook`]);
  const file = await next.welcomed();
  expect(next.output()).toContain(`The table is kept at ${dynamodb.url}.`);
  await expect.poll(() => sandboxes(file)).toMatchObject([{ name: 'Kept', status: 'ready' }]);
  await expect.poll(() => events.map(({ type }) => type)).toContain('sandbox.ready');
  await expect.poll(next.output).toMatch(/^sandbox\.ready \S+ > http:\S+\/hook 418$/m);
  const entry = { Source: eventSource, DetailType: 'forged\u001b[2J', Detail: '{}' };
  await fetch(file.endpoints.eventbridge, {
    method: 'POST',
    headers: { 'X-Amz-Target': 'AWSEvents.PutEvents' },
    body: JSON.stringify({ Entries: [entry] }),
  });
  await expect.poll(next.output).toMatch(/^forged \[2J \S+ > http:\S+\/hook 418$/m);
});

describe('a run that cannot start ends with a sentence and its code, before anything slow:', () => {
  const refused = async (
    args: readonly string[],
    env = childEnvironment(),
    code = 1,
  ): Promise<string> => {
    const run = start(args, { env });
    expect(await run.ended).toBe(code);
    expect(run.output()).not.toMatch(/\n\s+at |undling/);
    return run.output();
  };

  test.each([
    ['no URL', 2, ['--dynamodb', 'notaurl'], 'It must be a URL, such as http://localhost:8000.'],
    ['no server', 1, ['--dynamodb', closedAddress], 'No DynamoDB responds at'],
    ['no handler', 2, ['--forward-to', 'hook'], 'It must be a URL, such as'],
    ['a password', 2, ['--forward-to', 'http://me:secret@127.0.0.1:4000'], 'no user and password'],
    ['a port of X11', 1, ['--port', '6000'], 'Browsers refuse port 6000, which the API would get'],
    ['a port before it', 1, ['--port', '5999'], 'port 6000, which the reference would get'],
    ['no stack file', 2, ['--stack-file', ''], '--stack-file is empty.'],
  ])('%s', async (_, code, args, sentence) => {
    const output = await refused(args, childEnvironment(), code);
    expect(output).toContain(sentence);
    expect(output).not.toContain('secret');
  });

  const own = Object.values(networkInterfaces()).flatMap((all = []) =>
    all.map((each) => each.address),
  );
  // A container may have no IPv6.
  test.for(['127.0.0.1', '::1'])('a port that is taken at %s', async (host, { skip }) => {
    skip(!own.includes(host), 'This machine does not have the address.');
    const port = await take(0, host);
    expect(await refused(['--port', String(port)])).toContain(
      `Port ${port} is taken; give another --port.`,
    );
  });

  test('a stack file that cannot be one', async () => {
    const folder = temporaryDirectory();
    const output = await refused(['--stack-file', folder]);
    expect(output).toContain(`The stack file ${folder} cannot be used`);
  });

  test('no Java', async () => {
    const PATH = join(temporaryDirectory(), 'path');
    mkdirSync(PATH);
    symlinkSync(process.execPath, join(PATH, 'node'));
    expect(await refused([], { PATH })).toContain('needs Java 17 or later');
  });
});

test('a run without options takes a free port, and sends no request to this machine through a proxy', async () => {
  const proxied: string[] = [];
  const proxy = await serverOf(({ url = '' }, response) => {
    proxied.push(url);
    response.writeHead(502).end();
  });
  const env = { ...childEnvironment(), NODE_USE_ENV_PROXY: '1', http_proxy: proxy };
  const { url: database, stop } = await startDynamodb();
  onTestFinished(stop);
  const dynamodb = await FaultProxy.start(database);
  onTestFinished(() => dynamodb.stop());
  // The run has found the port free by then, and takes it after that.
  const { held, release } = dynamodb.hold({ operation: 'CreateTable' });
  const run = startLocalRun({ isPortDefault: true, env, args: ['--dynamodb', dynamodb.url] });
  onTestFinished(run.stop);
  await Promise.race([held, run.ended]);
  // Unless another program has it.
  await take(3000).catch(() => {});
  release();
  const { url, reference } = await run.welcomed();
  expect(run.output()).toContain('Port 3000 is taken; using a free one.');
  for (const address of [url, reference]) {
    const { status } = await sendRequest(`${address}/v1/sandboxes`, 'GET', { token });
    expect(status).toBe(200);
  }
  expect(proxied).toEqual([]);
});

test('a run that is interrupted while it starts leaves nothing behind', async () => {
  for (const step of ['Starting DynamoDB', 'Synthesizing', 'Loading the demo data']) {
    const run = start();
    while (!run.output().includes(step) && run.child.exitCode === null) await sleep(5);
    const children = childrenOf(run.child.pid).flatMap((child) => [child, ...childrenOf(child)]);
    run.child.kill('SIGINT');
    await run.ended;
    await expect.poll(() => children.filter(isRunning)).toEqual([]);
  }
});

test('a run whose output nobody reads ends', async () => {
  const run = start();
  run.child.stdout?.destroy();
  expect([await run.ended, run.output()]).toEqual([0, '']);
});

test('npm ci installs what commands need, where NODE_ENV is production too', async () => {
  const env = { ...childEnvironment(), NODE_ENV: 'production' };
  const { stdout } = await promisify(execFile)('npm', ['ls', 'commander', '--parseable'], { env });
  expect(stdout).toContain('commander');
});

test('a failure of a function is printed with its cause and its line', async () => {
  const project = copyOfProject();
  const list = 'functions/list-sandboxes.ts';
  const broken = "if (query.limit === 7) throw new TypeError('broken');\nconst start =";
  writeFileSync(join(project, list), edited(list, ['const start =', broken]));
  const run = start([], { project });
  const { url } = await run.welcomed();
  expect((await sendRequest(`${url}/v1/sandboxes?limit=7`, 'GET', { token })).status).toBe(500);
  await expect
    .poll(run.output)
    .toMatch(/^GET \S+ 500 .*TypeError: broken at .+functions\/list-sandboxes\.ts:12:\d+\)$/m);
});
