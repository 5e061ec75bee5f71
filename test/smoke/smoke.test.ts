import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { GetQueueUrlCommand, QueueDoesNotExist } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, test } from 'vitest';
import { openEventTap } from '../../bin/admin/events/event-tap.ts';
import { connect, type Service } from '../../bin/admin/service/connect.ts';
import { filterBy, readPartition, scan } from '../../bin/admin/table/scan.ts';
import { type GivenService, givenVariable } from '../../bin/smoke/given-service.ts';
import {
  abandonedAfterMs,
  cleanUp,
  findOwned,
  register,
  removeRun,
  tapOf,
} from '../../bin/smoke/owned.ts';
import { newDeliveryAttempt } from '../../functions/domain/offer.ts';
import { fixtures, Sandbox } from '../../functions/domain/sandbox.ts';
import { identityMaker, newIdentity, newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { file, sharedStackFile, stackFile, startCommand } from '../admin/run-admin.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { eventually } from '../support/eventually.ts';
import { call } from '../support/http.ts';
import { putAll } from '../support/put-all.ts';
import { stack } from '../support/running-stack.ts';
import { newOffer, newTenant, type Tenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import { breakages } from './breakages.ts';
import { changedService } from './changed-service.ts';

let service: Service;
beforeAll(async () => {
  service = await connect({ stackFile: sharedStackFile });
});

const smoke = (...args: string[]) => {
  const environment = { ...childEnvironment(), NO_COLOR: '1' };
  const { child, run } = startCommand('bin/smoke.ts', args, undefined, environment);
  child.stdin.end();
  return { child, run };
};

const itemsIn = async (partitions: readonly string[]) =>
  (await Promise.all(partitions.map((pk) => readPartition(pk)))).flat();

/** The run that was interrupted: its workers may write a little longer than it lives. */
let interrupted = 'none';

/** What other runs have made or registered, wherever it is in the table. */
const itemsOfRuns = async () => {
  const items = await Array.fromAsync(
    scan(
      filterBy('contains(pk, :smoke) OR contains(workspace, :smoke) OR #type = :type', {
        smoke: 'smoke_',
        type: 'SMOKE',
      }),
    ),
  );
  return items.filter((item) => !JSON.stringify(item).includes(interrupted));
};

const idsOf = (items: readonly Record<string, unknown>[]) => items.map(({ pk, sk }) => [pk, sk]);

/** What a run may leave behind: a tenant with an offer and a ready sandbox, and an open tap. */
const leaveRun = async (run: string): Promise<{ tenant: Tenant; partitions: string[] }> => {
  const tenant = await newTenant();
  const offer = await newOffer(tenant.workspace);
  const { workspace, account, token } = tenant;
  const own = [keys.workspace(workspace).pk, keys.account(account).pk, keys.offer(offer.id).pk];
  await register(run, ...own, tapOf(run));
  await openEventTap(service, true, tapOf(run));
  await call('POST', '/v1/sandboxes', { token, body: { name: 'Left' } });
  const sandbox = await eventually(async () => {
    const items = await readPartition(keys.workspace(workspace).pk);
    return items.find(({ status }) => status === 'ready');
  });
  const { created } = sandbox;
  const inside = fixtureItems(fixtures(Sandbox.parse(sandbox), String(created)));
  return { tenant, partitions: [...own, ...inside.map(({ pk }) => String(pk))] };
};

test('two runs at once pass and remove what they made, and what a killed run left', async () => {
  const { opaque: longAgo } = identityMaker()(Date.now() - abandonedAfterMs - 1000);
  const killed = await leaveRun(longAgo);
  const recent = newOpaque();
  const { workspace } = await newTenant();
  await register(recent, keys.workspace(workspace).pk);
  const junit = file('smoke.xml', '');

  const [people, scripts] = await Promise.all([
    smoke('resend', 'sandboxes', '--junit', junit, '--skip', 'GET /v1').run,
    smoke('--json', 'trail', 'mails', 'revoked-token').run,
  ]);

  expect(people).toMatchObject({ code: 0, stderr: '' });
  expect(scripts).toMatchObject({ code: 0, stderr: '' });
  expect(`${people.stdout}${scripts.stdout}`).toMatch(
    /The data of the run(?: and of 1 killed run)? was removed\./,
  );
  expect(JSON.parse(scripts.stdout)).toMatchObject({ success: true, numPassedTests: 7 });
  expect(readFileSync(junit, 'utf8')).toMatch(/<testsuites [^>]*failures="0" errors="0"/);
  expect(await itemsIn(killed.partitions)).toEqual([]);
  await expect(
    service.sqs.send(new GetQueueUrlCommand({ QueueName: tapOf(longAgo) })),
  ).rejects.toThrow(QueueDoesNotExist);
  // A run that may still be under way is left alone.
  expect(await itemsIn([keys.workspace(workspace).pk])).toHaveLength(1);
  await removeRun(service, await findOwned(recent));
  expect(idsOf(await itemsOfRuns())).toEqual([]);
});

/** A test in Vitest's JSON report. */
interface Ran {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const nameOf = ({ ancestorTitles, title }: Ran) => [...ancestorTitles, title].join(' > ');

test('a test fails against a service that does not do what it proves', async () => {
  const url = await changedService((passing) => breakages.get(passing.test)?.(passing));
  const run = newOpaque();
  const { mailbox } = stack;
  const { eventBus } = service;
  const limits = { requestsAtOnce: 6, callMs: 60_000, waitMs: 60_000 };
  const given: GivenService = { url, run, author, mailbox, eventBus, limits };
  const titles = [...breakages.keys()].map((title) => title.replaceAll(/[^\w ]/g, '\\$&'));
  const pattern = `^(?:${titles.join('|')})$`;

  const config = ['--config', 'test/smoke/broken.config.ts'];
  const vitest = spawn(
    'node_modules/.bin/vitest',
    ['run', ...config, '--testNamePattern', pattern],
    { env: { ...childEnvironment(), [givenVariable]: JSON.stringify(given) } },
  );
  const { testResults } = JSON.parse(await text(vitest.stdout));
  await removeRun(service, await findOwned(run));

  const ran = testResults
    .flatMap(({ assertionResults }: { assertionResults: Ran[] }) => assertionResults)
    .filter(({ status }: Ran) => status !== 'skipped') as Ran[];
  expect(ran.map(nameOf).sort()).toEqual([...breakages.keys()].sort());
  for (const each of ran) {
    const { status, failureMessages } = each;
    expect([nameOf(each), status]).toEqual([nameOf(each), 'failed']);
    // A test must fail because of an answer, not by a time-out.
    expect(failureMessages.join()).not.toMatch(/timed out|has not happened/);
    expect(failureMessages.join()).toContain('[Request-Id ');
  }
});

test('an item that a pending message may concern is left, and reported', async () => {
  const run = newOpaque();
  const { workspace } = await newTenant();
  const recipient_email = 'success@simulator.amazonses.com';
  const { id } = await newOffer(workspace, { recipient_email, attempts: 1 });
  await register(run, keys.offer(id).pk);
  const { opaque, created } = newIdentity();
  // SES has not reported the delivery of its mail yet.
  const attempt = { ...newDeliveryAttempt(id, opaque, created), status: 'sent' } as const;
  await putAll([{ ...deliveryItem(workspace, attempt), author }]);
  await expect(cleanUp(service, run)).rejects.toThrow(/ is sent\. The run leaves/);
  expect(await itemsIn([keys.offer(id).pk])).toHaveLength(2);
  await removeRun(service, await findOwned(run));
  expect(await itemsIn([keys.offer(id).pk])).toEqual([]);
});

test('with a URL and a token, runs what they can prove, and creates nothing', async () => {
  const { token, workspace } = await newTenant();
  for (const _ of [1, 2]) await call('POST', '/v1/sandboxes', { token, body: { name: 'Own' } });
  const { code, stdout } = await smoke('--url', `${stack.url}/`, '--token', token).run;
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

/** The runs whose data remain. */
const registered = async () => (await readPartition('SMOKE')).map(({ run }) => run);

test('exits with 130 when it is interrupted, and says what it leaves', async () => {
  const before = new Set(await registered());
  const { child, run } = smoke('--json', 'approve');
  const own = await eventually(async () => (await registered()).find((each) => !before.has(each)));
  interrupted = String(own);
  child.kill('SIGINT');
  const { code, stderr } = await run;
  expect(code).toBe(130);
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringContaining(`smoke_${interrupted}`),
    exit_code: 130,
  });
  await removeRun(service, await findOwned(interrupted));
});

describe('exits', () => {
  test.each([
    [['--token', 'x'], 2, '--token belongs to --url'],
    [['--url', 'http://x'], 2, '--url needs --token or --stage'],
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
