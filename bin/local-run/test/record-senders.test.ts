import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { RecordMessage } from '../../../functions/domain/record.ts';
import { keys } from '../../../functions/store/keys.ts';
import { readItem } from '../../../functions/store/read.ts';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { mailsTo } from '../../../test/support/mails-to.ts';
import { offerRecord, requestRecord } from '../../../test/support/records.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { newTenant } from '../../../test/support/tenants.ts';
import { putRecordCommand } from '../put-record-command.ts';

const root = join(import.meta.dirname, '../../..');
const page = readFileSync(join(root, 'lib/RECORDS.md'), 'utf8');
const senderIn = (language: string): string => {
  const [, code = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(page) ?? [];
  return code;
};

const run = promisify(execFile);
const options = {
  cwd: root,
  env: {
    ...childEnvironment(),
    AWS_ENDPOINT_URL_SQS: stack.endpoints.sqs,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    QUEUE_URL: stack.outputs.ImportQueueUrl,
  },
};
const hasPackages = await run('python3', ['-c', 'import boto3, jsonschema']).then(
  () => true,
  () => false,
);

const isStored = (id: string) =>
  expect.poll(() => readItem(keys.paymentRequest(id))).toMatchObject({ version: 3, note: 'Sent' });

test('a payment request and an offer that lib/RECORDS.md shows are accepted', () => {
  const blocks = page.matchAll(/^```json\n(.*?)^```$/gms);
  const messages = Array.from(blocks, ([, text = '']) => RecordMessage.safeParse(JSON.parse(text)));
  expect(messages.map(({ error }) => error)).toEqual([undefined, undefined]);
});

test('the sender in TypeScript of lib/RECORDS.md puts a record into the local run', async () => {
  const { workspace } = await newTenant();
  const record = requestRecord({ note: 'Sent' });
  const call = `await sendRecord('${workspace}', 3, ${JSON.stringify(record)});`;
  const code = `${senderIn('ts')}\n${call}`;
  await run(process.execPath, ['--input-type=module-typescript', '--eval', code], options);
  await isStored(record.id);
});

test.skipIf(!hasPackages)(
  'so does the sender in Python, which refuses what the schema does',
  async () => {
    const { workspace } = await newTenant();
    const send = (record: object) => {
      const call = `send_record('${workspace}', 3, json.loads('''${JSON.stringify(record)}'''))`;
      return run('python3', ['-c', `${senderIn('python')}\n${call}`], options);
    };
    const record = requestRecord({ note: 'Sent' });
    await send(record);
    await isStored(record.id);
    await expect(send({ ...record, amount: '1' })).rejects.toThrow('ValidationError');
  },
);

test('so does the curl that `npm start` prints, and the offer is mailed', async () => {
  const { workspace } = await newTenant();
  const offer = offerRecord({ status: 'sent' });
  const curl = putRecordCommand(stack.endpoints.sqs, `${stack.outputs.ImportQueueUrl}`, {
    workspace,
    version: 1,
    offer,
    send: true,
  });
  const { stdout } = await run('bash', ['-c', curl]);
  expect(stdout).toContain('MessageId');
  await expect.poll(() => mailsTo(offer.recipient_email)).toHaveLength(1);
});
