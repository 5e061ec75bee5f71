import { readFileSync } from 'node:fs';
import { GetQueueUrlCommand, QueueDoesNotExist } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, test } from 'vitest';
import { connect, type Service } from '../../bin/admin/connect.ts';
import { openEventTap } from '../../bin/admin/event-tap.ts';
import { inParallel } from '../../bin/admin/in-parallel.ts';
import { readPartition, scan } from '../../bin/admin/table/scan.ts';
import { caller } from '../../bin/smoke/call.ts';
import type { Context } from '../../bin/smoke/check.ts';
import { refusals } from '../../bin/smoke/checks/refusals.ts';
import { createSandbox } from '../../bin/smoke/checks/sandboxes.ts';
import { checks } from '../../bin/smoke/checks.ts';
import { cleanUp } from '../../bin/smoke/clean-up.ts';
import { abandonedAfterMs, findOwned, register, removeRun, tapOf } from '../../bin/smoke/owned.ts';
import { outOfTime, runCheck } from '../../bin/smoke/run-checks.ts';
import { createWorld, newKey, newOffer, type World } from '../../bin/smoke/world.ts';
import { routes } from '../../functions/domain/routes.ts';
import { fixtures, type Sandbox } from '../../functions/domain/sandbox.ts';
import { identityMaker, newOpaque } from '../../functions/runtime/identity.ts';
import { keys } from '../../functions/store/keys.ts';
import { fixtureItems } from '../../functions/store/sandboxes.ts';
import { file, stackFile, startCommand } from '../admin/admin.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { newTenant } from '../support/tenants.ts';
import { breakages } from './breakages.ts';
import { changedService } from './changed-service.ts';

let service: Service;
beforeAll(async () => {
  service = await connect({ stackFile: stackFile() });
});

const smoke = (...args: string[]) => {
  const { child, run } = startCommand('bin/smoke.ts', args);
  child.stdin.end();
  return { child, run };
};

const contextOf = (world: World, url = stack.url): Context => ({
  call: caller(url),
  token: world.live.token,
  world,
  full: true,
});

const limitMs = 120_000;

/** Every partition that belongs to a run, and those that only a sandbox leads to. */
const everyPartition = async (world: World): Promise<string[]> => {
  const { partitions } = await findOwned(world.run);
  const items = (await Promise.all(partitions.map(readPartition))).flat();
  const sandboxes = items.filter(({ type }) => type === 'SANDBOX') as unknown as Sandbox[];
  return [
    ...partitions,
    ...sandboxes
      .flatMap((sandbox) => fixtureItems(fixtures(sandbox, sandbox.created)))
      .map(({ pk }) => String(pk)),
  ];
};

/** What bears the name of a run, wherever it is in the table. */
const itemsOf = (run: string) =>
  Array.fromAsync(
    scan({
      FilterExpression: 'contains(pk, :run) OR contains(#run, :run) OR contains(workspace, :run)',
      ExpressionAttributeNames: { '#run': 'run' },
      ExpressionAttributeValues: { ':run': run },
    }),
  );

const itemsIn = async (partitions: readonly string[]) =>
  (await Promise.all(partitions.map(readPartition))).flat();

/** A world in which a check has something to remove: a sandbox, and an offer. */
const furnishedWorld = async (run = newOpaque()): Promise<World> => {
  const world = await createWorld(run, service, false);
  await createSandbox(caller(stack.url), world.live);
  await createSandbox(caller(stack.url), world.live);
  await newOffer(world, world.live);
  await newKey(world, world.live, routes.createSandbox);
  return world;
};

test('two runs at once pass and remove what they made, and what a killed run left', async () => {
  const { opaque: longAgo } = identityMaker()(Date.now() - abandonedAfterMs - 1000);
  const killed = await furnishedWorld(longAgo);
  await register(longAgo, tapOf(longAgo));
  await openEventTap(service, true, tapOf(longAgo));
  const recent = await createWorld(newOpaque(), service, false);
  await eventually(async () => (await readySandboxes(killed)) === 2);
  const partitions = await everyPartition(killed);
  const junit = file('smoke.xml', '');

  const [people, scripts] = await Promise.all([
    smoke('--junit', junit).run,
    smoke('--json', '--skip', ...refusals.map(({ name }) => name)).run,
  ]);

  expect([people.stdout, people.stderr]).toEqual([
    expect.stringContaining(' 0 failed, 1 skip'),
    '',
  ]);
  expect([people.code, scripts.code]).toEqual([0, 0]);
  for (const { name } of [...checks, cleanUp]) expect(people.stdout).toContain(` ${name} `);
  expect(JSON.parse(scripts.stdout)).toMatchObject({ url: stack.url, failed: 0 });
  expect(JSON.parse(scripts.stdout).skipped).toBe(refusals.length + 1);
  expect(readFileSync(junit, 'utf8')).toContain(
    `<testsuite name="smoke" tests="${checks.length + 1}" failures="0" skipped="1"`,
  );
  expect(await itemsIn(partitions)).toEqual([]);
  await expect(
    service.sqs.send(new GetQueueUrlCommand({ QueueName: tapOf(longAgo) })),
  ).rejects.toThrow(QueueDoesNotExist);
  // A run that may still be under way is left alone.
  expect(await itemsIn([keys.workspace(recent.live.workspace).pk])).toHaveLength(1);
  await removeRun(service, await findOwned(recent.run));
  expect(await registered()).not.toContain(longAgo);
});

const readySandboxes = async ({ live }: World) =>
  (await readPartition(keys.workspace(live.workspace).pk)).filter(
    ({ status }) => status === 'ready',
  ).length;

/** The runs that have left something. */
const registered = async () => (await readPartition('SMOKE')).map(({ run }) => run);

test.concurrent('every check finds a service that does not do what it proves', async () => {
  expect(Object.keys(breakages).sort()).toEqual(checks.map(({ name }) => name).sort());
  const world = await furnishedWorld();
  const results = inParallel(checks, 4, async (check) => {
    const url = await changedService(breakages[check.name] ?? (() => undefined));
    return runCheck(check, contextOf(world, url), outOfTime(limitMs));
  });
  for await (const { name, outcome, detail } of results) {
    expect({ name, outcome, detail }).toMatchObject({ outcome: 'failed' });
    expect(detail).not.toMatch(/in time|\bat .*:\d+/);
  }
  const partitions = await everyPartition(world);
  expect((await itemsIn(partitions)).length).toBeGreaterThan(20);
  const cleaned = await runCheck(cleanUp, contextOf(world), outOfTime(limitMs));
  expect(cleaned).toMatchObject({ outcome: 'passed' });
  expect(await itemsIn(partitions)).toEqual([]);
  expect(await itemsOf(world.run)).toEqual([]);
});

test.concurrent('what a message may still be about is left, and said', async () => {
  const world = await createWorld(newOpaque(), service, true);
  const { id } = await newOffer(world, world.live);
  const answer = await caller(stack.url)('POST', `/v1/offers/${id}/resend`, {
    token: world.live.token,
  });
  expect(answer.status).toBe(200);
  // On AWS SES would report what became of the mail; here nobody does.
  const { outcome, detail } = await runCheck(cleanUp, contextOf(world), outOfTime(limitMs));
  expect([outcome, detail]).toEqual(['failed', expect.stringMatching(/ is sent\. The run leaves/)]);
  expect(await itemsIn([keys.offer(id).pk])).toHaveLength(2);
  await removeRun(service, await findOwned(world.run));
  expect(await itemsIn([keys.offer(id).pk])).toEqual([]);
});

test('with a URL and a token, proves what they can prove, and creates nothing', async () => {
  const { token, workspace } = await newTenant();
  const run = await smoke('--url', `${stack.url}/`, '--token', token, '--json').run;
  const { checks: results, failed, skipped } = JSON.parse(run.stdout);
  expect([run.code, failed]).toEqual([0, 0]);
  expect(skipped).toBeLessThan(checks.length / 1.5);
  for (const { outcome, detail } of results) {
    if (outcome === 'skipped') expect(detail).toContain('use --stage or the local run');
  }
  expect(await readPartition(keys.workspace(workspace).pk)).toHaveLength(1);
});

test('exits with 1 when a check fails, and says what was expected', async () => {
  const { token } = await newTenant();
  const url = await changedService(({ status }) => (status === 413 ? { status: 400 } : undefined));
  const { code, stdout } = await smoke('--url', url, '--token', token).run;
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failed .* body_too_large .*\n {4}Not as openapi\.json says: POST /m);
  expect(stdout).toContain(' 1 failed, ');
});

test('exits with 130 when it is interrupted, and says what it leaves', async () => {
  const before = new Set(await registered());
  const { child, run } = smoke('--json', '--skip', 'tenancy');
  const own = await eventually(async () => (await registered()).find((each) => !before.has(each)));
  child.kill('SIGINT');
  const { code, stderr } = await run;
  expect(code).toBe(130);
  expect(JSON.parse(stderr)).toEqual({
    error: expect.stringContaining(`smoke_${own}`),
    exit_code: 130,
  });
  await removeRun(service, await findOwned(String(own)));
});

describe('exits', () => {
  test.each([
    [['--token', 'x'], 2, '--token belongs to --url'],
    [['--skip', 'nonsense'], 2, 'There is no check nonsense'],
    [['--url', 'http://x', '--token', 'x', '--stage', 'dev'], 2, 'without --stage'],
    [['--stack-file', '/nowhere/stack.json'], 1, 'Run `npm start`'],
  ])('for %j with %i and a sentence', async (args, exitCode, sentence) => {
    const { code, stdout, stderr } = await smoke(...args).run;
    expect([code, stdout]).toEqual([exitCode, '']);
    expect(stderr).toMatch(/^error: .+\n$/);
    expect(stderr).toContain(sentence);
  });

  test('with 0 after it has explained itself', async () => {
    const { code, stdout } = await smoke('--help').run;
    expect(code).toBe(0);
    for (const { name, proves } of checks) expect(stdout).toMatch(new RegExp(`${name} +${proves}`));
  });
});
