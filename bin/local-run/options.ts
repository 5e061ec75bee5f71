import { Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../command-line/admin-error.ts';
import { numberBetween } from '../command-line/number-argument.ts';
import { stackFileOption } from '../command-line/service-options.ts';

export interface LocalOptions {
  readonly stackFile: string;
  readonly port?: number;
  readonly dynamodb?: URL;
  readonly forwardTo?: URL;
  readonly verbose?: boolean;
  readonly watch?: boolean;
}

/** Reads an argument that is a URL of HTTP; another one is a usage error with this sentence. */
const httpUrl = (fault: string) => (text: string) => {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError(fault);
};

const handlerUrl = (text: string): URL => {
  const url = httpUrl('It must be a URL, such as http://127.0.0.1:4000/hook.')(text);
  if (!url.username && !url.password) return url;
  // `fetch` refuses such an address at each event.
  throw new UsageError('--forward-to must have no user and password.');
};

export const program = new Command('npm start --')
  .description(
    'Runs the whole service on this machine: synthesizes the CDK app and executes its template, with the real DynamoDB Local (Java 17 or later), a mailbox and demo data.',
  )
  .option(
    '--port <number>',
    'port of the API; without it 3000, or a free one if that is taken',
    numberBetween(0, 65_535, 'A port is 0 to 65535.'),
  )
  .option(
    '--dynamodb <url>',
    'use a DynamoDB that is already running instead of starting one',
    httpUrl('It must be a URL, such as http://localhost:8000.'),
  )
  .addOption(stackFileOption('write there how other commands find this run'))
  .option(
    '--forward-to <url>',
    'post each event to a handler, and print the status of its response',
    handlerUrl,
  )
  .option('--verbose', 'print the log lines of the functions too')
  .option('--watch', 'run the files of functions/ that you save, from the next request on')
  .addHelpText(
    'after',
    `
The data are in memory; CONTRIBUTING.md says how to keep them.
Addresses, tokens and identifiers are printed at start and written to the stack file, where other commands find the
run. A second run in this folder needs a --stack-file of its own, such as .local/other.json. Pass the file to other
commands too, with --stack-file or WFP_STACK_FILE.
Ctrl-C stops everything.`,
  );
