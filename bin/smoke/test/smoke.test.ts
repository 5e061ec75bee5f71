import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { GetQueueUrlCommand, QueueDoesNotExist, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, test, vi } from 'vitest';
import { newDeliveryAttempt } from '../../../functions/domain/offer.ts';
import { routes } from '../../../functions/domain/routes.ts';
import { fixtures, sandboxManager } from '../../../functions/domain/sandbox.ts';
import { claimKey } from '../../../functions/idempotency/intent.ts';
import { sha256 } from '../../../functions/runtime/sha256.ts';
import { newOpaque, stampMaker } from '../../../functions/runtime/stamp.ts';
import { commitNew } from '../../../functions/store/commit.ts';
import { keys } from '../../../functions/store/keys.ts';
import { deliveryItem } from '../../../functions/store/offers.ts';
import { fixtureItems } from '../../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../../functions/store/workspaces.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { call, send } from '../../../test/support/http.ts';
import { approve, create, isSuccess } from '../../../test/support/keyed-operations.ts';
import { putAll } from '../../../test/support/put-all.ts';
import { stack } from '../../../test/support/running-stack.ts';
import type { Response } from '../../../test/support/send-request.ts';
import {
  newManager,
  newOffer,
  newPaymentRequest,
  newTenant,
  newToken,
} from '../../../test/support/tenants.ts';
import { author } from '../../../test/support/test-author.ts';
import { type Key, keyOf, readPartition } from '../../admin/table/scan.ts';
import { readEach } from '../../admin/table/write.ts';
import {
  adminScript,
  file,
  sharedStackFile,
  stackFile,
  stageOf,
  startProcess,
} from '../../admin/test/run-admin.ts';
import { AdminError } from '../../command-line/admin-error.ts';
import { connect } from '../../command-line/connect.ts';
import { openEventTap } from '../event-tap.ts';
import { cleanUp, describeLeftData, findRuns, tapOf } from '../owned.ts';
import { smokeName } from '../smoke-names.ts';

const created = new Date().toISOString();

/** Waits until every sandbox of a workspace is ready. */
const waitForSandboxes = (workspace: string) => {
  const unready = async () => {
    const items = await readPartition(keys.workspace(workspace).pk);
    return items.filter(({ type, status }) => type === 'SANDBOX' && status !== 'ready');
  };
  return expect.poll(unready).toEqual([]);
};

const service = await connect({ stackFile: sharedStackFile });

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

/** The keys of the items in some partitions. */
const keysIn = async (partitions: readonly string[]): Promise<Key[]> =>
  (await Promise.all(partitions.map((pk) => readPartition(pk)))).flat().map(keyOf);

/** Sends a request until it succeeds: its key may be in use for as long as a lease. */
const sendUntilDone = (request: () => Promise<Response>): Promise<Response['body']> =>
  vi.waitFor(
    async () => {
      const response = await request();
      expect(response).toSatisfy(isSuccess);
      return response.body;
    },
    { timeout: 60_000, interval: 1000 },
  );

/**
 * Creates a tenant with data, claims, and a sandbox in which a payment request was approved.
 *
 * @param name what follows the prefixes of ids
 * @returns the keys of all its items
 */
const newCompany = async (name: string): Promise<Key[]> => {
  const [workspace, account] = [`wsp_${name}`, `acc_${name}`];
  await commitNew({ ...workspaceItem({ id: workspace, account, name: 'Own', created }), author });
  const token = await newToken({ workspace, account });
  const manager = await newManager(account);
  const offer = await newOffer(workspace, { id: `ofr_${name}` });
  const { id } = await newPaymentRequest(workspace, { id: `ptr_${name}` });
  await sendUntilDone(() => send(approve, { id, manager }, { token, key: 'k' }));
  const sandbox = await sendUntilDone(() => send(create, { name: 'Own' }, { token, key: 'k' }));
  await waitForSandboxes(workspace);
  const inside = fixtures(sandbox, created);
  const test = { workspace: inside.workspace.id, account: inside.workspace.account };
  const testToken = await newToken(test);
  const target = { id: inside.paymentRequest.id, manager: sandboxManager };
  await sendUntilDone(() => send(approve, target, { token: testToken, key: 'k' }));
  const approval = routes.approvePaymentRequest.functionName;
  const items = await keysIn([
    keys.workspace(workspace).pk,
    keys.account(account).pk,
    keys.offer(offer.id).pk,
    keys.paymentRequest(id).pk,
    ...[token, testToken].map((each) => keys.token(sha256(each)).pk),
    claimKey({ workspace, endpoint: approval, key: 'k' }).pk,
    claimKey({ workspace, endpoint: routes.createSandbox.functionName, key: 'k' }).pk,
    claimKey({ workspace: test.workspace, endpoint: approval, key: 'k' }).pk,
    ...new Set(fixtureItems(inside).map(({ pk }) => String(pk))),
  ]);
  expect(items).toHaveLength(17);
  return items;
};

/** What follows the prefixes of customers' ids, which allow letters, digits, `_` and `-`. */
const lookalikes = (run: string) => {
  const [one, other] = [newOpaque(), newOpaque()];
  return [
    `smoke_detectors-${one}`,
    `smoke_${run}`,
    `smoke_${run}_`,
    `smoke_${run}_${one}x`,
    `smoke_${run}_${one}_${other}`,
    `my_smoke_${run}_${one}`,
    `_smoke_${run}_${one}`,
    `smoke_${run}_${one}`.toLowerCase(),
    `smoke_8${run.slice(1)}_${one}`,
  ];
};

test('--clean-up removes what interrupted runs have left, and nothing else', async () => {
  const { opaque: longAgo } = stampMaker()(Date.now() - 60 * 60 * 1000);
  const runs = [newOpaque(), longAgo];
  const kept = (await Promise.all(lookalikes(longAgo).map(newCompany))).flat();
  const left = (
    await Promise.all(runs.map((run) => newCompany(smokeName(run, newOpaque()))))
  ).flat();
  const bus = String(service.eventBus);
  for (const run of runs) await openEventTap(bus, tapOf(bus, run));
  const { child, run } = smoke('approve');
  await expect.poll(findRuns).toHaveLength(3);
  const third = (await findRuns()).find((each) => !runs.includes(each.run))?.run;
  child.kill('SIGINT');
  const { code, stderr } = await run;
  expect(code).toBe(130);
  expect(stderr).toMatch(new RegExp(`^error: .*smoke_${third}.*--clean-up`, 'm'));

  // The workers of the interrupted run may write a little longer than it lives.
  const cleanUpAgain = async () => (await smoke('--clean-up').run).stdout;
  await expect.poll(cleanUpAgain).toBe('The data of 0 runs was removed.\n');

  expect(await Array.fromAsync(readEach(left))).toEqual(left.map(() => undefined));
  for (const each of runs) {
    await expect(
      new SQSClient().send(new GetQueueUrlCommand({ QueueName: tapOf(bus, each) })),
    ).rejects.toThrow(QueueDoesNotExist);
  }
  expect(await Array.fromAsync(readEach(kept))).not.toContain(undefined);
});

test('a run whose output nobody reads removes its data', async () => {
  const { child, run } = smoke('test-workspace');
  // What collects the output says that it ended early.
  run.catch(() => {});
  await expect.poll(findRuns).toHaveLength(1);
  child.stdout.destroy();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await findRuns()).toEqual([]);
});

test('the data of a run is left and reported while a message may concern it', async () => {
  const run = newOpaque();
  const [name, recipient_email] = [smokeName(run, newOpaque()), 'success@simulator.amazonses.com'];
  const [workspace, id] = [`wsp_${name}`, `ofr_${name}`];
  await newOffer(workspace, { id, recipient_email, attempts: 1 });
  // SES has not reported the delivery of its mail yet.
  const attempt = { ...newDeliveryAttempt(id, newOpaque(), created), status: 'sent' } as const;
  await putAll([{ ...deliveryItem(workspace, attempt), author }]);
  await expect(cleanUp(service, await findRuns(), 0)).rejects.toThrow(
    new AdminError(`${attempt.id} is sent. ${describeLeftData(run)}`),
  );
  expect(await keysIn([keys.offer(id).pk])).toHaveLength(2);

  await putAll([{ ...deliveryItem(workspace, { ...attempt, status: 'delivered' }), author }]);
  expect((await smoke('--clean-up').run).stdout).toBe('The data of 1 run was removed.\n');
  expect(await keysIn([keys.offer(id).pk])).toEqual([]);
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
  expect(Number(/Tests .*?(\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(50);
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
    [['--clean-up', 'approve'], 2, '--clean-up runs no tests'],
    [['--clean-up', '--skip', 'x'], 2, "'--clean-up' cannot be used with option '--skip"],
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
