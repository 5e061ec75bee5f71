import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { readStackFile } from '../../bin/local-run/stack-file.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { createTable } from '../support/create-table.ts';
import { eventually } from '../support/eventually.ts';
import { formatLines, parseLines } from '../support/json-lines.ts';
import { putAll } from '../support/put-all.ts';
import { sendRequest } from '../support/send-request.ts';
import { useStoreOf } from '../support/store.ts';
import { type Commands, describeCommands, type Ending, membersOf } from './commands.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Describes the command line, and calls each command with `--json` against a service, in a company
 * of its own.
 *
 * @param stackFile describes the service
 * @param directory for the files of the commands
 */
export const recordCommands = async (stackFile: string, directory: string): Promise<Commands> => {
  const description = await describeCommands();
  const recorder = new Recorder(Object.keys(description.commands), stackFile, directory);
  useStoreOf(recorder.service);
  const company = await recordTenants(recorder);
  await recordRequests(recorder, company);
  await recordOffers(recorder, company);
  await recordWorkspace(recorder, company);
  await recordDeadLetters(recorder);
  await recordEvents(recorder, company);
  await recordTables(recorder);
  return { ...description, endings: recorder.endings };
};

/** Calls commands, and keeps how they end. */
class Recorder {
  readonly endings: Record<string, Record<string, Ending>> = {};
  readonly service;
  readonly #names: readonly string[];
  readonly #stackFile: string;
  readonly #directory: string;

  constructor(names: readonly string[], stackFile: string, directory: string) {
    this.service = readStackFile(stackFile);
    this.#names = names;
    this.#stackFile = stackFile;
    this.#directory = directory;
  }

  /**
   * @param about what distinguishes this call of the command from its others
   * @returns the command's JSON
   * @throws Error when a call that is to be done is not
   */
  // biome-ignore lint/suspicious/noExplicitAny: each command prints members of its own.
  async call(about: string, args: readonly string[], at = this.#stackFile): Promise<any> {
    const child = spawn(process.execPath, [join(root, 'bin/admin.ts'), ...args, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...childEnvironment(), WFP_STACK_FILE: at },
    });
    const closed = once(child, 'close');
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [exitCode] = await closed;
    if (about === 'done' && exitCode !== 0) {
      throw new Error(`admin ${args.join(' ')} ended with ${exitCode}: ${errors}`);
    }
    const name = this.#names.findLast((each) => `${args.join(' ')} `.startsWith(`${each} `)) ?? '';
    const value = parsed(output || errors, ofLines.includes(name));
    const members = Object.entries(membersOf(value)).filter(
      ([member]) => !stored[name]?.test(member),
    );
    const ending = { exitCode, members: Object.fromEntries(members) };
    this.endings[name] = { ...this.endings[name], [about]: ending };
    return value;
  }

  /** Writes a file for a command to read. */
  file(content: string): string {
    const path = join(this.#directory, `${randomUUID()}.jsonl`);
    writeFileSync(path, content);
    return path;
  }
}

/** The members of stored items, which a later release may store in another form. */
const stored: Readonly<Record<string, RegExp>> = {
  export: /^(items)?\[\]\./,
  restore: /\.(now|restored)\./,
};

/** The commands that print a line of JSON for each event or item. */
const ofLines = ['events', 'export'];

const parsed = (output: string, isOfLines: boolean): unknown =>
  isOfLines && !output.startsWith('{\n') ? parseLines(output) : JSON.parse(output);

interface Company {
  readonly workspace: string;
  readonly manager: string;
  readonly token: string;
}

const recordTenants = async (recorder: Recorder): Promise<Company> => {
  const done = (...args: string[]) => recorder.call('done', args);
  const { id: account } = await done('account', 'create', '--name', 'Recorded');
  const of = ['--account', account];
  const { id: workspace } = await done('workspace', 'create', ...of, '--name', 'Recorded');
  const { id: removed } = await done('manager', 'add', ...of);
  await done('manager', 'remove', removed, ...of, '--yes');
  const { id: manager } = await done('manager', 'add', ...of);
  const issue = ['token', 'issue', '--workspace', workspace, '--name', 'Recorded'];
  const { id: revoked } = await done(...issue);
  await done('token', 'revoke', revoked, '--yes');
  const { token } = await done(...issue);
  await Promise.all([
    done('account', 'list', '--limit', '1'),
    done('account', 'show', account),
    done('workspace', 'list', ...of),
    done('workspace', 'show', workspace),
    done('manager', 'list', ...of),
    done('manager', 'show', manager, ...of),
    done('token', 'list', '--workspace', workspace),
    done('token', 'show', revoked),
    recorder.call('there is none', ['workspace', 'show', 'wsp_none']),
    recorder.call('the command line is wrong', ['token', 'issue']),
  ]);
  return { workspace, manager, token };
};

const recordRequests = async (recorder: Recorder, company: Company): Promise<void> => {
  const { workspace, manager, token } = company;
  const of = ['--workspace', workspace];
  const id = `ptr_${randomUUID()}`;
  const request = { id, worker: 'wr_recorded', amount: '1.00', currency: 'USD', reference: 'R' };
  const line = JSON.stringify({ ...request, period: { starts: '2026-10-01', ends: '2026-10-31' } });
  const load = ['payment-request', 'import', ...of];
  await recorder.call('done', [...load, recorder.file(line)]);
  await recorder.call('a line is bad', [...load, recorder.file(`${line}\n{"id":"x"}`)]);
  await recorder.call('done', [
    ...['payment-request', 'create', ...of, '--worker', 'wr_recorded', '--amount', '1.00'],
    ...['--currency', 'USD', '--reference', 'R', '--starts', '2026-10-01', '--ends', '2026-10-31'],
  ]);
  const body = { approver: manager, reason: 'Recorded' };
  const path = `/v1/payment-requests/${id}/approve`;
  await sendRequest(`${recorder.service.url}${path}`, 'POST', { token, body });
  await recorder.call('done', ['payment-request', 'list', ...of]);
  await recorder.call('done', ['payment-request', 'show', id]);
  await recorder.call('done', ['trail', id]);
};

const recordOffers = async (recorder: Recorder, { workspace }: Company): Promise<void> => {
  const of = ['--workspace', workspace];
  const done = (...args: string[]) => recorder.call('done', args);
  const id = `ofr_${randomUUID()}`;
  const recipient_email = `bounce+${id}@simulator.amazonses.com`;
  await done('offer', 'import', ...of, recorder.file(JSON.stringify({ id, recipient_email })));
  await done('offer', 'send', id, '--key', id);
  await eventually(async () => {
    const { attempts } = await done('offer', 'show', id);
    return attempts.every(({ status }: { status: string }) => status === 'bounced');
  });
  await done('offer', 'list', ...of);
  const person = [...of, '--recipient', recipient_email];
  await recorder.call('about a person', ['export', ...person]);
  await recorder.call('a dry run', ['redact', ...person, '--dry-run']);
  await done('redact', ...person, '--yes');
};

const recordWorkspace = async (recorder: Recorder, company: Company): Promise<void> => {
  const { workspace, token } = company;
  const body = { name: 'Recorded' };
  await sendRequest(`${recorder.service.url}/v1/sandboxes`, 'POST', { token, body });
  const done = (...args: string[]) => recorder.call('done', args);
  const of = ['--workspace', workspace];
  const [sandbox] = await done('sandbox', 'list', ...of);
  await done('sandbox', 'show', sandbox.id, ...of);
  const items: object[] = await done('export', ...of);
  await done('import', recorder.file(formatLines(items)));
  await done('outbox', 'relay', '--dry-run');
};

const recordDeadLetters = async (recorder: Recorder): Promise<void> => {
  const sqs = new SQSClient({ endpoint: recorder.service.endpoints.sqs });
  // No consumer reads this queue.
  const { QueueUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `recorded-${randomUUID()}` }),
  );
  const queues = { delivery: { url: QueueUrl, deadLetters: QueueUrl } };
  const at = recorder.file(JSON.stringify({ ...recorder.service, queues }));
  const { MessageId = '' } = await sqs.send(
    new SendMessageCommand({ QueueUrl, MessageBody: '{}' }),
  );
  const call = (about: string, ...args: string[]) =>
    recorder.call(about, ['dead-letters', ...args], at);
  await call('done', 'list');
  await call('done', 'show', MessageId);
  await call('done', 'redrive', MessageId);
  await call('there is none', 'discard', MessageId, '--yes');
  await call('done', 'discard', '--all', '--yes');
};

const recordEvents = async (recorder: Recorder, { workspace }: Company): Promise<void> => {
  const sandboxes = ['events', '--since', '1h', '--type', 'sandbox.created'];
  await eventually(async () => {
    const events = await recorder.call('done', sandboxes);
    return events.some((event: { workspace: string }) => event.workspace === workspace);
  });
  const handler = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(handler, 'listening');
  const { port } = handler.address() as AddressInfo;
  const forwarding = [...sandboxes, '--forward-to', `http://127.0.0.1:${port}/`];
  await recorder.call('forwarded', forwarding);
  handler.close();
  await recorder.call('done', ['events', 'replay', '--since', '2h', '--until', '1h', '--yes']);
  await recorder.call('a dry run', ['events', 'publish', '--since', '1m', '--dry-run']);
};

/** What reads a whole table gets one of its own. */
const recordTables = async (recorder: Recorder): Promise<void> => {
  const [table = '', restored = ''] = ['Own', 'Restored'].map((name) => `${name}-${randomUUID()}`);
  for (const TableName of [table, restored]) {
    await createTable(TableName);
    // No sandbox is like this one, and the two differ.
    const item = { pk: 'WORKSPACE#wsp_1', sk: 'SANDBOX#sbx_1', type: 'SANDBOX', name: TableName };
    await putAll([item], TableName);
  }
  const at = recorder.file(JSON.stringify({ ...recorder.service, table }));
  await recorder.call('a violation', ['verify'], at);
  const restore = ['restore', '--from', restored, '--at', new Date().toISOString()];
  await recorder.call('a dry run', [...restore, '--dry-run'], at);
  await recorder.call('a violation', [...restore, '--yes'], at);
};
