import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { demo } from '../../../functions/contract/demo.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { sendRequest } from '../../../test/support/send-request.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { adminScript, runProcess } from '../../admin/test/run-admin.ts';
import { stackFilePath } from '../../stack-file/stack-file-path.ts';
import { start } from './start.ts';

/** Writes down the host of each connection of a process and of its threads. */
const recorder = (log: string) => `
import { appendFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import threads from 'node:worker_threads';
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [options] = given.flat();
  const host = typeof options === 'object' ? (options.host ?? options.path) : given[1];
  appendFileSync('${log}', (threads.isMainThread ? 'process ' : 'thread ') + host + '\\n');
  return connect.apply(this, given);
};
threads.Worker = class extends threads.Worker {
  constructor(file, options) {
    const { NODE_OPTIONS } = process.env;
    super(file, { ...options, env: { ...options.env, NODE_OPTIONS } });
  }
};
syncBuiltinESMExports();
`;

test('the AWS settings of a shell change nothing, and nothing leaves this machine', async () => {
  const directory = temporaryDirectory();
  const log = join(directory, 'connections');
  mkdirSync(join(directory, '.aws'));
  const config = '[default]\nuse_fips_endpoint = true\nignore_configured_endpoint_urls = true\n';
  writeFileSync(join(directory, '.aws/config'), config);
  writeFileSync(join(directory, 'recorder.mjs'), recorder(log));
  const env = {
    ...childEnvironment(),
    AWS_CONFIG_FILE: undefined,
    AWS_SHARED_CREDENTIALS_FILE: undefined,
    AWS_PROFILE: 'nowhere',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
    AWS_ENDPOINT_URL: 'http://nowhere.invalid',
    HOME: directory,
    NODE_OPTIONS: `--import=${pathToFileURL(join(directory, 'recorder.mjs'))}`,
  };
  const run = start([], { env, directory });
  const { url } = await run.welcomed();
  const token = demo.tokens.live;
  const send = (path: string, body?: object) =>
    sendRequest(`${url}${path}`, 'POST', { token, body });

  expect((await send('/v1/sandboxes', { name: 'First' })).status).toBe(201);
  const { sent } = demo.offers;
  expect((await send(`/v1/offers/${sent}/resend`)).status).toBe(200);
  await expect.poll(run.output).toContain('"sandbox.ready"');
  await expect.poll(run.output).toContain('"delivery_attempt.sent"');
  const list = await sendRequest(`${url}/v1/sandboxes?limit=1`, 'GET', { token });
  expect(list.status).toBe(200);
  const at = join(directory, stackFilePath);
  const admin = await runProcess(adminScript, ['offer', 'show', sent], at, env);
  expect(admin.stdout).toMatch(/^delivery\.attempts +2$/m);

  const connections = [...new Set(readFileSync(log, 'utf8').trim().split('\n'))].sort();
  expect(connections).toEqual(['process 127.0.0.1', 'thread 127.0.0.1']);
});
