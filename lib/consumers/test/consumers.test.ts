import { execFile, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DeleteQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { send } from '../../../test/support/http.ts';
import { create } from '../../../test/support/keyed-operations.ts';
import { portToTake } from '../../../test/support/servers.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';
import { newTenant } from '../../../test/support/tenants.ts';
import { eventExamples } from '../../openapi/webhooks.ts';

const run = promisify(execFile);

test('the handler prints an event that is posted to it, and survives what is not JSON', async () => {
  const port = await portToTake();
  const program = readFileSync(join(import.meta.dirname, '../handler.ts'), 'utf8');
  const file = join(temporaryDirectory(), 'handler.ts');
  writeFileSync(file, program.replace('4000', String(port)));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill());
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const post = (body: string) => fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body });
  await expect.poll(() => post('{')).toMatchObject({ status: 400 });
  expect(await post(JSON.stringify(approved))).toMatchObject({ status: 200 });
  await expect
    .poll(() => output)
    .toContain("payment_request.approved {\n  approval: {\n    id: 'apprdec_");
  // Another address of this machine.
  await expect(fetch(`http://127.0.0.2:${port}/hook`)).rejects.toThrow('fetch failed');
});

const approved = eventExamples.find(({ type }) => type === 'payment_request.approved');

const hasBoto3 = await run('python3', ['-c', 'import boto3']).then(
  () => true,
  () => false,
);

test.skipIf(!hasBoto3)(
  'the programs in Python of lib/EVENTS.md store an event of the local run, and delete its message',
  async () => {
    const page = readFileSync(join(import.meta.dirname, '../../EVENTS.md'), 'utf8');
    const [reader = '', rule = ''] = page
      .matchAll(/^```python\n(.*?)^```$/gms)
      .map(([, code = '']) => code);
    const env = { ...childEnvironment(), AWS_DEFAULT_REGION: 'us-east-1' };
    const QueueUrl = (await run('python3', ['-c', rule], { env })).stdout.trim();
    const sqs = new SQSClient();
    onTestFinished(async () => {
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    });
    const cwd = temporaryDirectory();
    const program = spawn('python3', ['-c', reader], { cwd, env: { ...env, QUEUE_URL: QueueUrl } });
    onTestFinished(() => void program.kill());
    const { token } = await newTenant();
    const { body } = await send(create, { name: 'Try' }, { token });
    const stored = () => readFileSync(join(cwd, 'events.db'), 'latin1');
    await expect.poll(stored).toContain(`evt_${body.id}_created`);
    const left = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    await expect
      .poll(async () => (await sqs.send(left)).Attributes)
      .toMatchObject({
        ApproximateNumberOfMessages: '0',
        ApproximateNumberOfMessagesNotVisible: '0',
      });
  },
);
