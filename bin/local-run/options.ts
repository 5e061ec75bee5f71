import { Command, Option } from 'commander';
import { callerPath } from '../command-line/caller-path.ts';
import { httpUrl } from '../command-line/http-url.ts';
import { numberBetween } from '../command-line/number-argument.ts';
import { refuseRepeated } from '../command-line/refuse-repeated.ts';
import { stackFilePath } from '../stack-file/stack-file-path.ts';

/** The options of `npm start`. */
export interface LocalOptions {
  readonly stackFile: string;
  readonly port?: number;
  readonly dynamodb?: URL;
  readonly forwardTo?: URL;
  readonly verbose?: boolean;
  readonly watch?: boolean;
}

const command = new Command('npm start --')
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
  .addOption(
    new Option('--stack-file <file>', 'write there how other commands find this run')
      .env('WFP_STACK_FILE')
      .default(stackFilePath)
      .argParser(callerPath),
  )
  .option(
    '--forward-to <url>',
    'post each event to a handler, and print the status of its response',
    httpUrl('It must be a URL, such as http://127.0.0.1:4000/hook.'),
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

/** Reads the command line of `npm start`. */
export const parseOptions = (): LocalOptions => {
  const options = refuseRepeated(command).parse().opts<LocalOptions>();
  const { username, password } = options.forwardTo ?? {};
  // `fetch` refuses such an address at each event.
  if (username || password) command.error('error: --forward-to must have no user and password.');
  return options;
};
