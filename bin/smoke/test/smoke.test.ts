import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import type { Item } from '../../../functions/domain/item.ts';
import { fixtures } from '../../../functions/domain/sandbox.ts';
import { stampMaker } from '../../../functions/runtime/stamp.ts';
import { endDelivery } from '../../../functions/store/deliveries.ts';
import { keys } from '../../../functions/store/keys.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { waitingOffer } from '../../../test/support/delivery-attempts.ts';
import { call } from '../../../test/support/http.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { newTenant, newToken } from '../../../test/support/tenants.ts';
import { filterBy, readPartition, scan } from '../../admin/table/scan.ts';
import {
  adminScript,
  file,
  sharedStackFile,
  stackFile,
  stageOf,
  startProcess,
} from '../../admin/test/run-admin.ts';
import { openEventTap, tapOf } from '../event-tap.ts';
import { cleanUp } from '../owned.ts';

const created = new Date().toISOString();

/** Waits until every sandbox of a workspace is ready. */
const waitForSandboxes = (workspace: string) => {
  const unready = async () => {
    const items = await readPartition(keys.workspace(workspace).pk);
    return items.filter(({ type, status }) => type === 'SANDBOX' && status !== 'ready');
  };
  return expect.poll(unready).toEqual([]);
};

const smokeIn = (environment: NodeJS.ProcessEnv, ...args: string[]) => {
  const { child, run } = startProcess(
    adminScript,
    ['smoke', ...args],
    sharedStackFile,
    environment,
  );
  child.stdin.end();
  return { child, run };
};

const { NO_COLOR: _, ...usual } = childEnvironment();
const smoke = (...args: string[]) => smokeIn(usual, ...args);

/** The items that runs have created here, but for what is in their sandboxes. */
const itemsOfRuns = (): Promise<Item[]> =>
  Array.fromAsync(
    scan(filterBy('contains(#pk, :mark) OR contains(#workspace, :mark)', { mark: '_smoke_' })),
  );

test('a run whose output nobody reads removes its data, of mails and of sandboxes too', async () => {
  const { child, run } = smoke('mails', 'test-workspace', 'sandboxes', '--skip', 'GET');
  // What collects the output says that it ended early.
  run.catch(() => {});
  const itemsInSandboxes = async () => {
    const sandboxes = (await itemsOfRuns()).filter(({ type }) => type === 'SANDBOX');
    const inside = sandboxes.map(({ sandbox_workspace }) => keys.workspace(`${sandbox_workspace}`));
    return (await Promise.all(inside.map(({ pk }) => readPartition(pk)))).flat();
  };
  await expect.poll(itemsInSandboxes).not.toEqual([]);
  const [one] = await itemsInSandboxes();
  child.stdout.destroy();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await itemsOfRuns()).toEqual([]);
  expect(await readPartition(String(one?.pk))).toEqual([]);
});

test('what a run has made is removed when no message is about it and its events have had time', async () => {
  const { workspace } = await newTenant();
  const { offer, attempt } = await waitingOffer(workspace, { status: 'sending' });
  const { pk } = keys.offer(offer.id);
  const owned = file('owned', `${pk}\n`);
  await expect(cleanUp(owned, 0)).rejects.toThrow(`${attempt.id} is sending.`);
  expect(await readPartition(pk)).toHaveLength(2);
  await endDelivery(attempt, { status: 'failed', reason: 'message_rejected' });
  const removal = cleanUp(owned, 0);
  for (let looks = 0; looks < 30; looks++) expect(await readPartition(pk)).toHaveLength(2);
  await removal;
  expect(await readPartition(pk)).toEqual([]);
});

test('a run that is interrupted leaves its items, and the next one removes old event taps', async () => {
  const bus = String(stack.outputs.EventBusArn);
  const [old, recent] = [61, 59].map((minutes) =>
    tapOf(bus, stampMaker()(Date.now() - minutes * 60_000).opaque),
  ) as [string, string];
  for (const name of [old, recent]) await openEventTap(bus, name);
  const { child, run } = smoke('approve');
  await expect.poll(itemsOfRuns).not.toEqual([]);
  child.kill('SIGINT');
  const { code, stderr } = await run;
  expect([code, stderr]).toEqual([
    130,
    expect.stringMatching(/^error: .*smoke_\w{26} in their ids/),
  ]);
  const urlOf = (QueueName: string) => new SQSClient().send(new GetQueueUrlCommand({ QueueName }));
  await expect(urlOf(old)).rejects.toThrow(QueueDoesNotExist);
  await expect(urlOf(recent)).resolves.toBeDefined();
});

test('with a URL and a token, runs what they can prove, passes, and creates nothing', async () => {
  const { token, workspace } = await newTenant();
  for (const _ of [1, 2]) await call('POST', '/v1/sandboxes', { token, body: { name: 'Own' } });
  const service = ['--url', `${stack.url}/`, '--token', token];
  const junit = file('smoke.xml', '');
  const skipped = ['--skip', 'takes an empty object'];
  const { code, stdout, stderr } = await smoke(...service, '--junit', junit, ...skipped).run;
  // Neither is a terminal.
  expect(stripVTControlCharacters(stdout + stderr)).toBe(stdout + stderr);
  expect([code, stdout.match(/^.*Tests .*failed/m)]).toEqual([0, null]);
  expect(Number(/Tests .*?(\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(40);
  expect(stdout).toMatch(/loses none of 60 approvals.*use --stage or the local run/);
  expect(readFileSync(junit, 'utf8')).toMatch(/<testsuites [^>]*failures="0" errors="0"/);
  expect(await readPartition(keys.workspace(workspace).pk)).toHaveLength(3);
});

test('with a token of a test workspace, approves and resends in it, and says what it cannot test', async () => {
  const company = await newTenant();
  const { body } = await call('POST', '/v1/sandboxes', {
    token: company.token,
    body: { name: 'CI' },
  });
  await waitForSandboxes(company.workspace);
  const workspace = body.sandbox_workspace;
  const { paymentRequest, offer, workspace: inside } = fixtures(body, created);
  const token = await newToken({ workspace, account: inside.account });

  const args = ['--url', stack.url, '--token', token, '--workspace', workspace];
  const { code, stdout } = await smoke(...args).run;

  expect([code, stdout.match(/^.*Tests .*failed/m)]).toEqual([0, null]);
  expect(stdout).toMatch(/approved once for each key/);
  expect(stdout).toContain('Sandboxes belong to live workspaces.');
  const approvals = await readPartition(keys.paymentRequest(paymentRequest.id).pk);
  expect(approvals.filter(({ type }) => type === 'APPROVAL')).toHaveLength(2);
  const attempts = await readPartition(keys.offer(offer.id).pk);
  expect(attempts.filter(({ type }) => type === 'DELIVERY')).toHaveLength(2);
});

test('fails when no test ran', async () => {
  const { code, stderr } = await smoke('--url', stack.url, '--token', 'x', 'trail').run;
  expect([code, stderr]).toEqual([1, 'error: No test ran: each was skipped.\n']);
});

test.each([
  ['without its policy', { KeepData: 'true' }, '', 1, ['DescribeStacks', 'GetStackPolicy']],
  ['with its policy', { KeepData: 'true' }, '{}', 0, ['DescribeStacks', 'GetStackPolicy']],
  ['that need not keep its data', { KeepData: 'false' }, '', 0, ['DescribeStacks']],
])('warns once of a stack %s', async (_, outputs, policy, warnings, calls) => {
  const { asked, environment } = await stageOf({ ...outputs, TableName: stack.table }, policy);
  const args = ['--stage', 'dev', '--region', 'eu-central-1', '--url', 'http://nowhere.invalid'];
  const { stderr } = await smokeIn(environment, ...args).run;
  expect(
    stderr.match(/^warning: WorkforcePayments-dev has no stack policy: .+$/gm) ?? [],
  ).toHaveLength(warnings);
  expect(stderr).toMatch(/^error: The service cannot be reached at http:\/\/nowhere\.invalid /m);
  expect(asked).toEqual(calls);
});

describe('exits', () => {
  test.each([
    [['--token', 'x'], 2, '--token belongs to --url'],
    [['--url', 'http://x'], 2, '--url needs --token or --stage'],
    [['--workspace', 'wsp_test_x', '--url', 'http://x'], 2, '--workspace belongs to'],
    [['--workspace', 'wsp_x', '--url', 'http://x', '--token', 'x'], 2, 'a test workspace'],
    [['--url', 'http://x', '--token', 'x', '--stage', 'dev'], 2, 'without --stage'],
    [['--url', 'http://nowhere.invalid', '--token', 'x'], 1, 'cannot be reached at http://nowh'],
    [['--stack-file', stackFile({ url: 'http://nowhere.invalid' })], 1, 'cannot be reached at'],
    [['--stack-file', '/nowhere/stack.json'], 1, 'Run `npm start`'],
  ])('for %j with %i and a sentence', async (args, exitCode, sentence) => {
    const { code, stdout, stderr } = await smoke(...args).run;
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(/^error: .+\n$/);
    expect(stderr).toContain(sentence);
  });
});
