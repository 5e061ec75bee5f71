import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { GetQueueUrlCommand, QueueDoesNotExist } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openEventTap } from '../../bin/admin/events/event-tap.ts';
import { keyOf } from '../../bin/admin/kinds/kind.ts';
import { connect, type Service } from '../../bin/admin/service/connect.ts';
import { readAll } from '../../bin/admin/table/bulk.ts';
import { type Key, readPartition } from '../../bin/admin/table/scan.ts';
import { smokeName } from '../../bin/admin/table/smoke-names.ts';
import { AdminError } from '../../bin/admin/terminal/admin-error.ts';
import { type GivenService, givenVariable } from '../../bin/smoke/given-service.ts';
import { cleanUp, describeLeftData, findRuns, ownedIn, tapOf } from '../../bin/smoke/owned.ts';
import { newDeliveryAttempt } from '../../functions/domain/offer.ts';
import { routes } from '../../functions/domain/routes.ts';
import { fixtures, sandboxManager } from '../../functions/domain/sandbox.ts';
import { claimKey } from '../../functions/idempotency/intent.ts';
import { identityMaker, newOpaque } from '../../functions/runtime/identity.ts';
import { sha256 } from '../../functions/runtime/sha256.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { workspaceItem } from '../../functions/store/workspaces.ts';
import {
  file,
  sharedStackFile,
  stackFile,
  startProcess,
  waitForSandboxes,
} from '../admin/run-admin.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { eventually } from '../support/eventually.ts';
import { call, send } from '../support/http.ts';
import { approve, create } from '../support/keyed-operations.ts';
import { putAll } from '../support/put-all.ts';
import { stack } from '../support/running-stack.ts';
import type { Answer } from '../support/send-request.ts';
import {
  newManager,
  newOffer,
  newPaymentRequest,
  newTenant,
  newToken,
} from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { breakages } from './breakages.ts';
import { changedService } from './changed-service.ts';

/** Waits for a minute, until the authorizer's cache has forgotten a token. */
const slow = process.env.SMOKE_SLOW ? ['revoked-token'] : [];

const created = new Date().toISOString();

let service: Service;
beforeAll(async () => {
  service = await connect({ stackFile: sharedStackFile });
});

const smoke = (...args: string[]) => {
  const { NO_COLOR: _, ...environment } = childEnvironment();
  const { child, run } = startProcess('bin/smoke.ts', args, undefined, environment);
  child.stdin.end();
  return { child, run };
};

/** The keys of the items in some partitions. */
const keysIn = async (partitions: readonly string[]): Promise<Key[]> =>
  (await Promise.all(partitions.map((pk) => readPartition(pk)))).flat().map(keyOf);

/**
 * Sends a request again while its key is in use. A function whose write of the record is answered
 * late repeats it, and finds the record that it has written itself: the answer is 409 until the
 * lease of the record is over.
 */
const sendUntilDone = (request: () => Promise<Answer>) =>
  eventually(async () => {
    const { status, body } = await request();
    if (status < 300) return body;
    expect(body.code).toBe('idempotency_key_in_use');
    return undefined;
  });

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
    claimKey({ workspace, operation: approval, key: 'k' }).pk,
    claimKey({ workspace, operation: routes.createSandbox.functionName, key: 'k' }).pk,
    claimKey({ workspace: test.workspace, operation: approval, key: 'k' }).pk,
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

test('two runs at once pass and remove what they made, and nothing of a third', async () => {
  const third = newOpaque();
  const kept = await newCompany(smokeName(third, newOpaque()));
  const junit = file('smoke.xml', '');

  const [people, scripts] = await Promise.all([
    smoke('resend', '--junit', junit, '--skip', 'without a key').run,
    smoke('--json', 'trail', ...slow).run,
  ]);

  expect(people).toMatchObject({ code: 0, stderr: '' });
  expect(scripts).toMatchObject({ code: 0, stderr: '' });
  expect(people.stdout).toContain('The data of 1 run was removed.');
  expect(JSON.parse(scripts.stdout)).toMatchObject({
    success: true,
    numPassedTests: 2 + slow.length,
  });
  expect(readFileSync(junit, 'utf8')).toMatch(/<testsuites [^>]*failures="0" errors="0"/);
  expect((await findRuns()).map(({ run }) => run)).toEqual([third]);
  expect(await readAll(kept)).not.toContain(undefined);
  await cleanUp(service, await findRuns());
});

test('a clean-up removes what killed runs have left, and nothing else', async () => {
  const { opaque: longAgo } = identityMaker()(Date.now() - 60 * 60 * 1000);
  const runs = [newOpaque(), longAgo];
  const kept = (await Promise.all(lookalikes(longAgo).map(newCompany))).flat();
  const left = (
    await Promise.all(runs.map((run) => newCompany(smokeName(run, newOpaque()))))
  ).flat();
  for (const run of runs) await openEventTap(service, true, tapOf(run));
  const { child, run } = smoke('approve');
  await eventually(async () => (await findRuns()).length === 3);
  child.kill('SIGKILL');
  await run;

  // The workers of the killed run may write a little longer than it lives.
  const removed: string[] = [];
  await eventually(async () => {
    const { code, stdout, stderr } = await smoke('--clean-up', '--json').run;
    expect([code, stderr]).toEqual([0, '']);
    const { removed_runs } = JSON.parse(stdout);
    removed.push(...removed_runs);
    return removed_runs.length === 0;
  });

  expect(new Set(removed).size).toBe(3);
  expect(await readAll(left)).toEqual(left.map(() => undefined));
  for (const each of runs) {
    await expect(
      service.sqs.send(new GetQueueUrlCommand({ QueueName: tapOf(each) })),
    ).rejects.toThrow(QueueDoesNotExist);
  }
  expect(await readAll(kept)).not.toContain(undefined);
  expect((await smoke('--clean-up').run).stdout).toBe('The data of 0 runs was removed.\n');
});

/** A test in Vitest's JSON report. */
interface Ran {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const titleOf = ({ ancestorTitles, title }: Ran) => [...ancestorTitles, title].join(' > ');

test('a test fails against a service that does not do what it proves', async () => {
  const url = await changedService((passing) => breakages.get(passing.test)?.(passing));
  const run = newOpaque();
  const ownedFile = file('owned', '');
  const { mailbox } = stack;
  const { eventBus } = service;
  const limits = { requestsAtOnce: 6, callMs: 60_000 };
  const given: GivenService = { url, run, ownedFile, author, mailbox, eventBus, limits };
  const titles = [...breakages.keys()].map((title) => title.replaceAll(/[^\w ]/g, '\\$&'));
  const pattern = `^(?:${titles.join('|')})$`;

  const config = ['--config', 'test/smoke/broken.config.ts'];
  const vitest = spawn(
    'node_modules/.bin/vitest',
    ['run', ...config, '--testNamePattern', pattern],
    { env: { ...childEnvironment(), [givenVariable]: JSON.stringify(given) } },
  );
  const { testResults } = JSON.parse(await text(vitest.stdout));
  await cleanUp(service, [{ run, partitions: ownedIn(ownedFile) }]);
  expect(await findRuns()).toEqual([]);

  const ran = testResults
    .flatMap(({ assertionResults }: { assertionResults: Ran[] }) => assertionResults)
    .filter(({ status }: Ran) => status !== 'skipped') as Ran[];
  expect(ran.map(titleOf).sort()).toEqual([...breakages.keys()].sort());
  for (const each of ran) {
    const { status, failureMessages } = each;
    expect([titleOf(each), status]).toEqual([titleOf(each), 'failed']);
    // A test must fail because of an answer, not by a time-out.
    expect(failureMessages.join()).not.toMatch(/timed out/);
    expect(failureMessages.join()).toContain('[Request-Id ');
  }
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

test('with a URL and a token, runs what they can prove, and creates nothing', async () => {
  const { token, workspace } = await newTenant();
  for (const _ of [1, 2]) await call('POST', '/v1/sandboxes', { token, body: { name: 'Own' } });
  const { code, stdout, stderr } = await smoke('--url', `${stack.url}/`, '--token', token).run;
  // Neither is a terminal.
  expect(stripVTControlCharacters(stdout + stderr)).toBe(stdout + stderr);
  expect([code, stdout.match(/^.*Tests .*failed/m)]).toEqual([0, null]);
  expect(Number(/Tests .*?(\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(70);
  expect(stdout).toMatch(/loses none of 60 approvals.*use --stage or the local run/);
  expect(await readPartition(keys.workspace(workspace).pk)).toHaveLength(3);
});

test('exits with 1 when a test fails, and names the requests', async () => {
  const { token } = await newTenant();
  const url = await changedService(({ status }) => (status === 413 ? { status: 400 } : undefined));
  const { code, stderr } = await smoke('every-endpoint', '--url', url, '--token', token).run;
  expect(code).toBe(1);
  expect(stderr).toMatch(/takes 64 KiB and not a byte more/);
  expect(stderr).toMatch(/^POST \/v1\/\S+: 400 \[Request-Id [\w-]+\]$/m);
});

test('fails when no test ran, and when no title contains what is to be skipped', async () => {
  const without = ['--url', stack.url, '--token', 'x', 'trail'];
  const [nothing, typo] = await Promise.all([
    smoke(...without).run,
    smoke(...without, '--skip', 'is published', 'nonsense').run,
  ]);
  expect([nothing.code, nothing.stderr]).toEqual([1, 'error: No test ran: each was skipped.\n']);
  expect(typo.code).toBe(2);
  expect(typo.stderr).toBe('error: No title of these tests contains "nonsense" (--skip).\n');
});

test('exits with 130 when it is interrupted, and says what it leaves', async () => {
  const { child, run } = smoke('--json', 'approve');
  const [left] = await eventually(async () => {
    const runs = await findRuns();
    return runs.length > 0 && runs;
  });
  child.kill('SIGINT');
  const { code, stderr } = await run;
  expect(code).toBe(130);
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringMatching(new RegExp(`smoke_${left?.run}.*--clean-up`)),
    exit_code: 130,
  });
  // Its workers may write a little longer than it lives.
  await eventually(async () => {
    await cleanUp(service, await findRuns());
    return (await findRuns()).length === 0;
  });
});

describe('exits', () => {
  test.each([
    [['--token', 'x'], 2, '--token belongs to --url'],
    [['--url', 'http://x'], 2, '--url needs --token or --stage'],
    [['--clean-up', 'approve'], 2, '--clean-up runs no tests'],
    [['--clean-up', '--url', 'http://x', '--token', 'x'], 2, '--clean-up runs no tests'],
    [['--clean-up', '--skip', 'x'], 2, '--clean-up runs no tests'],
    [['--release', '1.1'], 2, 'It must be a version'],
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
