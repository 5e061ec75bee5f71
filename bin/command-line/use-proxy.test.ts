import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { keys } from '../../functions/store/keys.ts';
import { readItem } from '../../functions/store/read.ts';
import { listen, passOn } from '../../test/support/forward.ts';
import { stack } from '../../test/support/running-stack.ts';
import { closedAddress } from '../../test/support/servers.ts';
import { temporaryDirectory } from '../../test/support/temporary-directory.ts';
import {
  newTable,
  principal,
  runProcess,
  sharedStackFile,
  stageOf,
} from '../admin/test/run-admin.ts';

const directory = temporaryDirectory();
const path = (name: string) => join(directory, name);
const region = 'us-east-1';
const api = 'https://api.example.com';

beforeAll(() => {
  const make = (name: string, ...args: string[]) =>
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`],
        ...['-keyout', path(`${name}.key`), '-out', path(`${name}.pem`), ...args],
      ],
      { stdio: 'ignore' },
    );
  make('company');
  make('another');
  const bundle = ['another', 'company'].map((name) => readFileSync(path(`${name}.pem`), 'utf8'));
  writeFileSync(path('bundle.pem'), bundle.join('\n'));
  const names = `subjectAltName=DNS:*.${region}.amazonaws.com,DNS:api.example.com`;
  make('aws', '-CA', path('company.pem'), '-CAkey', path('company.key'), '-addext', names);
});

/**
 * A stage that only a proxy reaches, which ends TLS with a certificate of the company, as firewalls
 * do.
 *
 * @returns the hosts that it was asked for, and the environment of a command
 */
const stageBehindProxy = async (outputs: Record<string, string>) => {
  const { environment } = await stageOf(outputs);
  const hosts: string[] = [];
  const places: Record<string, string> = {
    api: stack.url,
    cloudformation: environment.AWS_ENDPOINT_URL_CLOUDFORMATION,
    dynamodb: stack.endpoints.dynamodb,
    sts: environment.AWS_ENDPOINT_URL_STS,
  };
  const certificate = { cert: readFileSync(path('aws.pem')), key: readFileSync(path('aws.key')) };
  const aws = createTlsServer(certificate, (client) => {
    const [service = ''] = String((client as TLSSocket & { servername?: string }).servername).split(
      '.',
    );
    passOn(places[service] ?? closedAddress)(client);
  });
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, client) => {
    hosts.push(url);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    aws.emit('connection', client);
  });
  onTestFinished(() => void proxy.close());
  const address = `http://${await listen(proxy)}`;
  const variables = {
    ...Object.fromEntries(
      Object.entries(environment).filter(([name]) => !/^AWS_ENDPOINT_URL|_proxy$/i.test(name)),
    ),
    AWS_REGION: region,
    HOME: directory,
    HTTPS_PROXY: address,
    AWS_CA_BUNDLE: path('bundle.pem'),
  };
  const run = (script: string, args: string[], more: Record<string, string> = {}) =>
    runProcess(script, args, sharedStackFile, { ...variables, ...more });
  return {
    run,
    proxy: address,
    services: () => [...new Set(hosts.map((host) => host.split('.')[0]))].sort(),
  };
};

const outputs = { TableName: stack.table, ApiUrl: `${api}/` };

test.each([
  ['HTTPS_PROXY', {}],
  ['all_proxy', { HTTPS_PROXY: '', NO_PROXY: '127.0.0.1 .example.com' }],
  ['npm_config_https_proxy', { HTTPS_PROXY: closedAddress }],
])(
  'operators reach a stage through the proxy of %s, as their AWS principal',
  async (name, variables) => {
    const { run, proxy, services } = await stageBehindProxy(outputs);
    const args = ['--stage', 'dev', 'account', 'create', '--name', 'Behind a proxy'];
    const { code, stdout, stderr } = await run('bin/wfp.ts', args, {
      ...variables,
      [name]: proxy,
    });
    expect([code, stderr]).toEqual([0, '']);
    expect(services()).toEqual(['cloudformation', 'dynamodb', 'sts']);
    expect((await readItem(keys.account(stdout.trim())))?.author).toEqual({
      actor: `operator:${principal}`,
      request: expect.stringMatching(/^run_/),
      version: 'v1',
    });
  },
);

test('the tests of the contract reach a stage through the proxy', async () => {
  // A table of its own: the tests of bin/smoke look for what runs leave in the shared one.
  const TableName = await newTable();
  const { run, services } = await stageBehindProxy({ ...outputs, TableName });
  const args = ['smoke', '--stage', 'dev', 'test/service/revoked-token.test.ts'];
  const { stdout, stderr } = await run('bin/wfp.ts', args);
  // Of a worker: the local API refuses the name of another host.
  expect(stdout + stderr).toContain('GET /v1/sandboxes: 403');
  expect(services()).toEqual(['api', 'cloudformation', 'dynamodb', 'sts']);
});

test('what NO_PROXY names is called directly', async () => {
  const { run, services } = await stageBehindProxy(outputs);
  const NO_PROXY = '.amazonaws.com';
  const { code } = await run('bin/wfp.ts', ['--stage', 'dev', 'verify'], {
    NO_PROXY,
    AWS_MAX_ATTEMPTS: '1',
  });
  expect([code, services()]).toEqual([1, []]);
});

test('the local run is reached without a proxy', async () => {
  const { run, services } = await stageBehindProxy(outputs);
  const HTTP_PROXY = closedAddress;
  const { code, stderr } = await run('bin/wfp.ts', ['account', 'create', '--name', 'Local'], {
    HTTP_PROXY,
    AWS_CA_BUNDLE: path('missing.pem'),
    NODE_USE_ENV_PROXY: '1',
  });
  expect([code, stderr, services()]).toEqual([0, '', []]);
});
