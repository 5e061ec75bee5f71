import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import getPort from 'get-port';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { portOf } from '../../bin/http-url.ts';
import { readStackFile, type StackFile } from '../../bin/local-run/stack-file.ts';
import { stackFilePath } from '../../bin/local-run/stack-file-path.ts';
import { demo } from '../../lib/openapi/demo.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { sendRequest } from '../support/send-request.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { childrenOf, isRunning, start } from './start.ts';

const token = demo.tokens.live;

/** Kills the Java of a run, and nothing else. */
const killDatabase = ({ child }: LocalRun): void => {
  const [java] = childrenOf(child.pid).flatMap(childrenOf);
  if (java === undefined) throw new Error('The run has no database.');
  process.kill(java, 'SIGKILL');
};

/** Ends a run as Ctrl-C does; what it has said until then, and what it says after that. */
const interrupt = async (run: LocalRun) => {
  const welcome = run.output();
  run.child.kill('SIGINT');
  expect(await run.ended).toBe(0);
  const stopped = run.output().slice(welcome.length);
  expect(stopped).toMatch(/Stopped\. The data/);
  return { welcome, stopped };
};

test('who polls the port is refused, then answered 503, and then with the data, until the database ends', async () => {
  const port = await getPort({ host: '127.0.0.1' });
  const run = start(['--port', String(port)]);
  const statuses = new Set<number>();
  let retryAfter: string | null = '';
  while (![...statuses].some((status) => status !== 503)) {
    await sendRequest(`http://127.0.0.1:${port}/v1/sandboxes`, 'GET', { token }).then(
      (response) => {
        statuses.add(response.status);
        if (response.status === 503) retryAfter = response.headers.get('Retry-After');
      },
      () => sleep(5),
    );
    if (run.child.exitCode !== null) throw new Error(run.output());
  }
  expect([...statuses].filter((status) => status !== 503)).toEqual([200]);
  expect(retryAfter).not.toBeNull();

  await run.welcomed();
  const [before = ''] = run.output().split('API  ');
  expect(before).toMatch(/Starting DynamoDB Local.*\n[\s\S]*Loading the demo data/);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  expect(run.output()).not.toMatch(/\x1b/);

  killDatabase(run);
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain(
    'DynamoDB Local has ended, and the data that it held in memory are lost.',
  );
});

describe('runs in one directory', () => {
  const directory = temporaryDirectory();
  const running: LocalRun[] = [];
  const startWith = (...args: string[]): LocalRun => {
    const run = startLocalRun({ directory, args });
    running.push(run);
    return run;
  };
  afterAll(() => Promise.all(running.map(({ stop }) => stop())));

  const data = join(directory, 'data');
  const firstPath = join(directory, stackFilePath);
  const isOwner = ({ child }: LocalRun) => child.pid === readStackFile(firstPath).pid;
  let owner: LocalRun;
  let url: string;
  beforeAll(async () => {
    // At once, one gets it.
    const two = [startWith('--data', data), startWith('--data', data)] as const;
    const refused = await Promise.race(two.map((run) => run.ended.then(() => run)));
    [owner] = two.filter((run) => run !== refused) as [LocalRun];
    ({ url } = await owner.welcomed());
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toMatch(
      new RegExp(`Another run uses the stack file ${stackFilePath}: process ${owner.child.pid}\\b`),
    );
  });

  const holder = () => `process ${owner.child.pid} at ${url}`;
  const advice = () => `Stop it with Ctrl-C in its terminal or \`kill ${owner.child.pid}\`, or`;

  test('are refused, in whatever words they name the stack file of the first', async () => {
    for (const args of [
      [],
      ['--port', '3999'],
      ['--data', join(directory, 'other')],
      ['--stack-file', `./${stackFilePath}`],
      ['--stack-file', firstPath],
    ]) {
      const run = startWith(...args);
      expect(await run.ended).toBe(1);
      expect(run.output()).toContain(`: ${holder()}. ${advice()} start this one with`);
      expect(run.output()).not.toContain('undling');
    }
    expect(isOwner(owner)).toBe(true);
  });

  test('have a stack file each if they name one, and remove no other', async () => {
    const path = '.local/of its own/stack.json';
    const other = startWith('--stack-file', path);
    const file = await other.welcomed(path);
    expect([file.pid, isOwner(owner)]).toEqual([other.child.pid, true]);
    expect(owner.output()).not.toContain('--stack-file');
    expect(other.output()).toContain(`Other commands find this run with --stack-file ${path}.`);

    // As when its terminal is closed.
    other.child.kill('SIGHUP');
    await other.ended;
    expect(existsSync(join(directory, path))).toBe(false);
    expect(isOwner(owner)).toBe(true);
  });

  test('do not share their data', async () => {
    const second = startWith('--data', data, '--stack-file', 'other.json');
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(
      `Another run uses the data in ${data}: ${holder()}. ${advice()} give another --data.`,
    );
  });

  const create = async (name: string) =>
    (await sendRequest(`${url}/v1/sandboxes`, 'POST', { token, body: { name } })).status;
  const ready = async (): Promise<string[]> => {
    const { body } = await sendRequest(`${url}/v1/sandboxes`, 'GET', { token });
    const sandboxes: { name: string; status: string }[] = body.sandboxes ?? [];
    return sandboxes.filter(({ status }) => status === 'ready').map(({ name }) => name);
  };

  test('end with their database, whose data the next one finds', async () => {
    expect(await create('before')).toBe(201);
    await expect.poll(ready).toEqual(['before']);

    killDatabase(owner);
    expect(await owner.ended).toBe(1);
    expect(owner.output()).toMatch(/DynamoDB Local has ended, and its data are kept in .*data/);
    owner = startWith('--data', 'data');
    ({ url } = await owner.welcomed());
    expect(await ready()).toEqual(['before']);
  });

  test('leave their stack file and their data to the next one when they are killed', async () => {
    owner.child.kill('SIGKILL');
    await owner.ended;
    const next = startWith('--data', 'data');
    ({ url } = await next.welcomed());
    expect(isOwner(next)).toBe(true);
    expect(await ready()).toEqual(['before']);
    const { welcome, stopped } = await interrupt(next);
    for (const text of [welcome, stopped]) {
      expect(text).toContain('The data are kept in data.');
      expect(text).not.toContain('npm start -- --data');
    }
  });
});

describe('a run that cannot start ends with a sentence and code 1, before anything slow:', () => {
  const refused = async (args: readonly string[], env = childEnvironment()): Promise<string> => {
    const run = start(args, { env });
    expect(await run.ended).toBe(1);
    expect(run.output()).not.toMatch(/\n\s+at |undling/);
    return run.output();
  };

  test.each([
    ['no URL', ['--dynamodb', 'notaurl'], 'It must be a URL, such as http://localhost:8000.'],
    ['no delay', ['--retry-delay', '43201'], 'A delay is 0 to 43,200 seconds.'],
    ['an unknown host', ['--dynamodb', 'http://nowhere.invalid'], 'No DynamoDB answers at'],
    ['no server', ['--dynamodb', 'http://127.0.0.1:1'], 'No DynamoDB answers at'],
    ['no directory', ['--data', ''], 'It must not be empty.'],
    ['no stack file', ['--stack-file', ''], 'It must not be empty.'],
    ['a directory as stack file', ['--stack-file', '.'], 'is a directory'],
    ['a file as directory', ['--data', import.meta.filename], 'it is a file'],
  ])('%s', async (_, args, sentence) => {
    expect(await refused(args)).toContain(sentence);
  });

  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    expect(await refused(['--port', String(port)])).toContain(
      `Port ${port} is taken; give another --port.`,
    );
  });

  test('an output that nobody reads', async () => {
    const run = start();
    run.child.stdout?.destroy();
    expect(await run.ended).toBe(1);
    expect(run.output()).toMatch(/^The output cannot be written: .+\n$/);
  });

  test('no Java', async () => {
    const PATH = join(temporaryDirectory(), 'path');
    mkdirSync(PATH);
    symlinkSync(process.execPath, join(PATH, 'node'));
    expect(await refused([], { PATH })).toContain('needs Java 17 or later');
  });
});

/** Takes the port while the run is starting, unless another program has it. */
const takeDuringStart = async (run: LocalRun, port: number): Promise<Server> => {
  while (!run.output().includes('Synthesizing') && run.child.exitCode === null) await sleep(5);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening').catch(() => {});
  return server;
};

test('a port that is taken while the run starts ends the run if --port names it', async () => {
  const port = await getPort({ host: '127.0.0.1' });
  const run = start(['--port', String(port)]);
  const taker = await takeDuringStart(run, port);
  onTestFinished(() => void taker.close());
  expect(await run.ended).toBe(1);
  expect(run.output()).toContain(`Port ${port} is taken; give another --port.`);
});

describe('a run without options, where a proxy is set and port 3000 is taken while it starts', () => {
  const proxied: string[] = [];
  let run: LocalRun;
  let file: StackFile;
  const servers: Server[] = [];

  beforeAll(async () => {
    const proxy = createServer(({ url = '' }, response) => {
      proxied.push(url);
      response.writeHead(502).end();
    }).on('connect', ({ url = '' }, socket) => {
      proxied.push(url);
      socket.destroy();
    });
    servers.push(proxy.listen(0, '127.0.0.1'));
    await once(proxy, 'listening');
    const env = {
      ...childEnvironment(),
      NODE_USE_ENV_PROXY: '1',
      http_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      no_proxy: 'example.com',
    };
    run = startLocalRun({ isPortDefault: true, env });
    servers.push(await takeDuringStart(run, 3000));
    file = await run.welcomed();
  });
  afterAll(async () => {
    await run?.stop();
    for (const server of servers) server.close();
  });

  const statusAt = async (url: string) => (await sendRequest(url, 'GET', { token })).status;

  test('takes a free port', async () => {
    expect(new URL(file.url).port).not.toBe('3000');
    expect(await statusAt(`${file.url}/v1/sandboxes`)).toBe(200);
    expect(run.output()).toContain('Port 3000 is taken; using a free one.');
  });

  test('sends no request to this machine through the proxy', async () => {
    expect(await statusAt(`${file.reference}/v1/sandboxes`)).toBe(200);
    expect(await statusAt(`${file.reference}/mails/dlv_none`)).toBe(404);
    expect(proxied).toEqual([]);
  });

  test('says at its start and at its stop that the data are in memory, and how to keep them', async () => {
    const { welcome, stopped } = await interrupt(run);
    expect(welcome).toContain('The data are in memory');
    expect(stopped).toContain('The data were in memory and are gone');
    for (const text of [welcome, stopped]) expect(text).toContain('npm start -- --data');
  });
});

test('the port of a URL is found where it is the one that URLs leave out', () => {
  expect(portOf('http://127.0.0.1:80')).toBe(80);
});

test('a run that is interrupted while it starts leaves nothing behind', async () => {
  for (const step of ['Starting DynamoDB', 'Synthesizing', 'Loading the demo data']) {
    const run = start();
    while (!run.output().includes(step) && run.child.exitCode === null) await sleep(5);
    const children = childrenOf(run.child.pid).flatMap((child) => [child, ...childrenOf(child)]);
    run.child.kill('SIGINT');
    await run.ended;
    await expect.poll(() => children.filter(isRunning), { timeout: 20_000 }).toEqual([]);
  }
});
