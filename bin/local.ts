import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Command, InvalidArgumentError } from 'commander';
import { createApp, quickly } from '../lib/app.ts';
import { temporaryDirectory } from '../lib/bundles.ts';
import { startLocalStack } from '../lib/local/stack.ts';
import { queueUrls } from './admin/queue-urls.ts';
import { demo, loadDemoData } from './demo-data.ts';
import { localEnvironment } from './local-environment.ts';
import { LiveState } from './reference/live-state.ts';
import { startReference } from './reference/start-reference.ts';
import { welcome } from './welcome.ts';

const port = (text: string) => {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('A port is 0 to 65535.');
  return value;
};

const options = new Command('npm start --')
  .description(
    'Runs the whole service on this machine: synthesizes the CDK app and executes its template, with the real DynamoDB Local (Java 17 or later), a mailbox and demo data.',
  )
  .option(
    '--port <number>',
    'port of the API; without it 3000, or a free one if that is taken',
    port,
  )
  .option('--dynamodb <url>', 'use a DynamoDB that is already running instead of starting one')
  .option('--data <directory>', 'keep the data there between runs (default: in memory)')
  .option('--verbose', 'print the log lines of the functions too')
  .addHelpText(
    'after',
    `
Addresses, tokens and identifiers are printed at start and written to .local/stack.json.
A second run beside the first one works. Ctrl-C stops everything.`,
  )
  .parse()
  .opts<{ port?: number; dynamodb?: string; data?: string; verbose?: boolean }>();

const stackFile = '.local/stack.json';

const live = new LiveState();
const assembly = (await createApp({ outdir: temporaryDirectory(), ...quickly })).synth();
const stack = await startLocalStack({
  assemblyDirectory: assembly.directory,
  port: options.port ?? (await preferredPort(3000)),
  dynamodbUrl: options.dynamodb,
  dataDirectory: options.data,
  log: (line) => console.log(line),
  onAnswer: (request, body) => live.addRequest(request, body),
  functionLog: options.verbose ? (name, line) => console.log(`${name}: ${line}`) : undefined,
}).catch((error: NodeJS.ErrnoException) => {
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${options.port} is taken; give another --port.`,
    ECONNREFUSED: `No DynamoDB answers at ${options.dynamodb}.`,
  };
  console.error(sentences[error.code ?? ''] ?? error.message);
  process.exit(1);
});

let stopping = false;
const stop = async () => {
  if (stopping) return;
  stopping = true;
  forget(stack.url);
  await stack.stop();
  process.exit(0);
};
process.once('SIGINT', stop);
process.once('SIGTERM', stop);
// Who kills npm leaves its child behind: it is then handed to another parent.
const parent = process.ppid;
setInterval(() => process.ppid === parent || stop(), 1000).unref();

const table = stack.outputs.TableName ?? '';
const { url, mailbox, endpoints } = stack;
Object.assign(process.env, localEnvironment({ table, endpoints }));
await loadDemoData();

const queues = queueUrls(stack.outputs);
const mailConfigurationSet = stack.outputs.MailConfigurationSet;
await live.follow({ dynamodbUrl: endpoints.dynamodb, queues: stack.queues, queueUrls: queues });
const { url: reference } = await startReference({
  port: await preferredPort(Math.min(Number(new URL(url).port) + 1, 65_535)),
  api: url,
  mailbox,
  live,
});
const file = { url, reference, mailbox, table, endpoints, queues, mailConfigurationSet, ...demo };
mkdirSync('.local', { recursive: true });
writeFileSync(stackFile, `${JSON.stringify(file, null, 2)}\n`);

if (stack.notHonoured.length > 0)
  console.log(`Not honoured here: ${stack.notHonoured.join(', ')}.`);
console.log(welcome(file));

/** The port if it is free; otherwise says so, and leaves the choice to the system. */
async function preferredPort(preferred: number): Promise<number> {
  const free = await new Promise<boolean>((resolve) => {
    const probe = createServer()
      .once('error', () => resolve(false))
      .listen(preferred, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
  if (!free) console.log(`Port ${preferred} is taken; using a free one.`);
  return free ? preferred : 0;
}

/** Removes the file that says where the service runs, unless a later run has written its own. */
function forget(url: string) {
  if (!existsSync(stackFile)) return;
  const current = JSON.parse(readFileSync(stackFile, 'utf8'));
  if (current.url === url) rmSync(stackFile);
}
