import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { filterBy, scan } from '../../bin/admin/table/scan.ts';
import { queueUrls } from '../../bin/local-run/resources.ts';
import { stackFilePath } from '../../bin/local-run/stack-file-path.ts';
import { newOpaque } from '../../functions/runtime/identity.ts';
import { commitNew } from '../../functions/store/commit.ts';
import { deliveryItem } from '../../functions/store/offers.ts';
import { start } from '../start/start.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { errorAnswer } from '../support/fault-proxy.ts';
import { outboxMessage } from '../support/function-events.ts';
import { mailsTo } from '../support/mails-to.ts';
import { stack } from '../support/running-stack.ts';
import { warnOfSkipping } from '../support/skipping.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { newOffer, newTenant } from '../support/tenants.ts';
import { author } from '../support/test-author.ts';
import {
  admin,
  adminAt,
  adminJson,
  jsonAt,
  proxiedStackFile,
  sharedStackFile,
  stackFile,
} from './run-admin.ts';

const sqs = new SQSClient({ endpoint: stack.endpoints.sqs });

/** A message that a consumer has given up, without waiting until one does. */
const giveUp = async (queue: string, body: string): Promise<string> => {
  const { MessageId = '' } = await sqs.send(
    new SendMessageCommand({
      QueueUrl: queueUrls(stack.outputs)[queue]?.deadLetters,
      MessageBody: body,
    }),
  );
  return MessageId;
};

const idsAt = async (at: string): Promise<string[]> =>
  (await jsonAt(at, 'dead-letters', 'list')).map(({ id }: { id: string }) => id);

/** Commands that read two queues instead of all: they wait a second for each. */
const twoQueues = stackFile({
  queues: Object.fromEntries(
    Object.entries(queueUrls(stack.outputs)).filter(([name]) =>
      ['delivery', 'provisioning'].includes(name),
    ),
  ),
});
const ids = () => idsAt(twoQueues);

/** Messages that no consumer can read, in two queues in turn. */
const giveUpPoison = (count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      giveUp(index % 2 ? 'delivery' : 'provisioning', `not JSON \u009b ${randomUUID()}`),
    ),
  );

test('lists the letters of every queue, and leaves them there', async () => {
  const poison = await giveUpPoison(12);
  expect(await idsAt(sharedStackFile)).toEqual(expect.arrayContaining(poison));
  expect(await idsAt(sharedStackFile)).toEqual(expect.arrayContaining(poison));
  const { stdout } = await admin('dead-letters', 'list', '--queue', 'delivery');
  expect(stdout).toContain(poison[1]);
  expect(stdout).not.toContain(poison[0]);
  expect(stdout).not.toContain('\u009b');
  expect(await adminJson('dead-letters', 'show', String(poison[0]))).toMatchObject({
    id: poison[0],
    queue: 'provisioning',
    body: expect.stringContaining('not JSON'),
  });
});

test('discards the ones that are named', async () => {
  const [one = '', two = '', ...others] = await giveUpPoison(4);
  expect(await jsonAt(twoQueues, 'dead-letters', 'discard', one, two, '--yes')).toEqual({
    discarded: expect.arrayContaining([one, two]),
    missing: [],
  });
  const left = await ids();
  expect(left).not.toContain(one);
  expect(left).toEqual(expect.arrayContaining(others));
  const again = await adminAt(twoQueues, 'dead-letters', 'discard', one, '--yes');
  expect([again.code, again.stderr]).toEqual([1, `error: There is no dead letter ${one}.\n`]);
});

test('asks for confirmation before it handles all of them, but not where there is none', async () => {
  const { QueueUrl: deadLetters = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `empty-${randomUUID()}` }),
  );
  const at = stackFile({ queues: { delivery: { url: deadLetters, deadLetters } } });
  const all = (what: string, ...more: string[]) =>
    adminAt(at, 'dead-letters', what, '--all', ...more);
  expect(await all('redrive')).toEqual({ code: 0, stdout: 'No dead letters.\n', stderr: '' });
  expect(await all('discard', '--json')).toEqual({
    ...{ code: 0, stdout: '{"discarded":[],"missing":[]}\n', stderr: '' },
  });

  await sqs.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: 'not JSON' }));
  expect(await all('redrive')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Redrive 1 dead letter? Confirm with --yes'),
  });
});

test('redrives a message to its consumer', async () => {
  const { workspace } = await newTenant();
  const offer = await newOffer(workspace);
  // Taken by a consumer that died: the outbox looks for queued attempts only, so nothing but the
  // redriven message brings this one to the mail.
  const now = new Date().toISOString();
  const attempt = {
    id: `dlv_${newOpaque()}`,
    offer: offer.id,
    status: 'sending' as const,
    created: now,
    updated: now,
  };
  await commitNew({ ...deliveryItem(workspace, attempt), author, lease_ends: 0 });
  const id = await giveUp('delivery', outboxMessage('Delivery', { workspace, ...attempt }));

  expect(await jsonAt(twoQueues, 'dead-letters', 'redrive', id)).toEqual({
    ...{ redriven: [id], missing: [] },
  });

  await expect.poll(() => mailsTo(offer.recipient_email)).toHaveLength(1);
  expect(await ids()).not.toContain(id);
  const { story } = await adminJson('trail', attempt.id);
  expect(story).toContainEqual(
    expect.objectContaining({
      what: 'message redriven',
      actor: expect.stringMatching(/^operator:./),
      request: expect.stringMatching(/^run_/),
      details: {
        queue: 'delivery',
        message_id: id,
        request_id: author.request,
        workspace,
        offer: offer.id,
        delivery: attempt.id,
      },
    }),
  );
});

test('discarding what no event can be made of is recorded beside its item', async () => {
  const approvalId = `apprdec_${newOpaque()}`;
  const approval = { pk: `PAYMENT_REQUEST#ptr_${newOpaque()}`, sk: `APPROVAL#${approvalId}` };
  const id = await giveUp('events', JSON.stringify({ ...approval, error: 'No payment request.' }));
  await adminJson('dead-letters', 'discard', id, '--yes');
  const { story } = await adminJson('trail', approval.pk.slice('PAYMENT_REQUEST#'.length));
  expect(story).toEqual([
    expect.objectContaining({
      what: 'message discarded',
      actor: expect.stringMatching(/^operator:/),
      details: { queue: 'events', message_id: id, partition: approval.pk, item: approval.sk },
    }),
  ]);
  expect((await adminJson('trail', approvalId)).story).toEqual(story);
});

test.each([
  ['pk', { pk: 'x'.repeat(3000), sk: 'APPROVAL#' }],
  ['sk', { pk: 'PAYMENT_REQUEST#ptr_1', sk: 'é'.repeat(600) }],
])('discards a letter of the events whose %s is longer than any key', async (_, key) => {
  const id = await giveUp('events', JSON.stringify({ ...key, error: 'No item.' }));
  const discarded = await adminJson('dead-letters', 'discard', id, '--yes');
  expect(discarded).toEqual({ discarded: [id], missing: [] });
  const acts = await Array.fromAsync(scan(filterBy('#message_id = :id', { id })));
  expect(acts).toMatchObject([{ pk: expect.stringMatching(/^ACT#act_/), queue: 'events' }]);
  expect(acts[0]).not.toHaveProperty('partition');
});

test('prints what was done before a record could not be written', async () => {
  const [one = '', two = ''] = await giveUpPoison(2);
  const { proxy, at } = await proxiedStackFile();
  proxy.inject({
    ...{ operation: 'PutItem', about: two, fault: errorAnswer('AccessDeniedException') },
  });
  const run = await adminAt(at, 'dead-letters', 'discard', one, two, '--yes', '--json');
  expect([run.code, run.stdout]).toEqual([1, `{"discarded":["${one}"],"missing":[]}\n`]);
  expect(run.stderr).toContain('AccessDeniedException');
  expect(await ids()).toContain(two);
});

test('does not redrive what the outbox gave up, which was never a message', async () => {
  const place = await giveUp('outbox', '{"DDBStreamBatchInfo":{"batchSize":1}}');
  const letter = await giveUp('mail-events', `not JSON ${randomUUID()}`);
  expect(await adminJson('dead-letters', 'show', place)).toMatchObject({ queue: 'outbox' });

  const run = await admin('dead-letters', 'redrive', place, letter, 'missing', '--json');
  expect(run.code).toBe(1);
  expect(JSON.parse(run.stdout)).toEqual({ redriven: [letter], missing: ['missing'] });
  const { error } = JSON.parse(run.stderr);
  expect(error).toContain('There is no dead letter missing.\n');
  expect(error).toMatch(new RegExp(`Not redriven: ${place}\\..*\`outbox relay\``));
  const all = await admin('dead-letters', 'redrive', '--all', '--queue', 'outbox', '--yes');
  expect([all.code, all.stdout]).toEqual([1, '0 dead letters redriven.\n']);

  const discarded = await adminJson('dead-letters', 'discard', place, '--yes');
  expect(discarded).toEqual({ discarded: [place], missing: [] });
});

const noCurl = spawnSync('curl', ['--version']).error && 'There is no curl on this machine.';
warnOfSkipping('The dead letter of the README is', noCurl);

test.skipIf(noCurl)('the README makes, lists, shows, redrives and discards one', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../bin/admin/README.md'), 'utf8');
  const [, section = ''] = page.split('\n### Try it\n');
  const blocks = [...(section.split('\n#')[0] ?? '').matchAll(/```bash\n(.*?)```/gs)];
  const [starting = '', sending = '', ...rest] = blocks.map(([, lines = '']) => lines.trim());
  const [, options = ''] = starting.split('npm start -- ');
  const directory = temporaryDirectory();
  const run = start(options.split(' '), { directory });
  await run.welcomed();
  await promisify(execFile)('bash', ['-ec', sending], { cwd: directory, env: childEnvironment() });

  const at = join(directory, stackFilePath);
  const letters = (): Promise<{ id: string }[]> => jsonAt(at, 'dead-letters', 'list');
  const onlyLetter = async () => {
    await expect.poll(letters).toHaveLength(1);
    return String((await letters())[0]?.id);
  };
  const first = await onlyLetter();
  expect(run.output()).toContain('given up after 5 receives');

  const anId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
  const outputs: string[] = [];
  for (const line of rest.flatMap((block) => block.split('\n'))) {
    const command = line.replace('npm run admin -- ', '').replace(anId, await onlyLetter());
    const { code, stdout, stderr } = await adminAt(at, ...command.split(' '));
    expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: '' });
    outputs.push(stdout);
  }
  expect(outputs).toEqual([
    expect.stringContaining(first),
    expect.stringContaining('not JSON'),
    '1 dead letter redriven.\n',
    '1 dead letter discarded.\n',
  ]);
  expect(await letters()).toEqual([]);
});
