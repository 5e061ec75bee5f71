import { Command, InvalidArgumentError, Option } from 'commander';
import { numberBetween } from '../number-argument.ts';
import { databaseUrl } from './database-url.ts';
import { stackFilePath } from './stack-file-path.ts';

/** What `npm start` is told. */
export interface LocalOptions {
  readonly stackFile: string;
  readonly port?: number;
  readonly dynamodb?: string;
  readonly data?: string;
  readonly retryDelay?: number;
  readonly verbose?: boolean;
  readonly watch?: boolean;
  readonly inspect?: number | true;
}

const port = numberBetween(0, 65_535, 'A port is 0 to 65535.');

const path = (text: string): string => {
  if (text !== '') return text;
  throw new InvalidArgumentError('It must not be empty.');
};

const command = new Command('npm start --')
  .description(
    'Runs the whole service on this machine: synthesizes the CDK app and executes its template, with the real DynamoDB Local (Java 17 or later), a mailbox and demo data.',
  )
  .option(
    '--port <number>',
    'port of the API; without it 3000, or a free one if that is taken',
    port,
  )
  .option(
    '--dynamodb <url>',
    'use a DynamoDB that is already running instead of starting one',
    databaseUrl,
  )
  .option('--data <directory>', 'keep the data there between runs (default: in memory)', path)
  .addOption(
    new Option('--stack-file <file>', 'write there how other commands find this run')
      .env('WFP_STACK_FILE')
      .default(stackFilePath)
      .argParser(path),
  )
  .option(
    '--retry-delay <seconds>',
    'retry a failed message after this many seconds; after five failures it becomes a dead letter',
    numberBetween(0, 43_200, 'A delay is 0 to 43,200 seconds.'),
  )
  .option('--verbose', 'print the log lines of the functions too')
  .option(
    '--watch',
    'run the files of functions/ that you save from the next request on; a save in lib/ that changes the template restarts the run on its data',
  )
  .option(
    '--inspect [port]',
    'let a debugger stop in the sources of the functions, without timeouts; port 9229 unless given',
    port,
  )
  .addHelpText(
    'after',
    `
Addresses, tokens and identifiers are printed at start and written to the stack file, where other commands
find the run. A second run in this folder needs a --stack-file of its own, such as .local/other.json, and its
own --data. Pass the file to other commands too, with --stack-file or WFP_STACK_FILE.
Ctrl-C stops everything.`,
  );

/** Reads the command line of `npm start`. */
export const parseOptions = (): LocalOptions => command.parse().opts<LocalOptions>();

/** The port of the inspector. */
export const inspectorPort = ({ inspect }: LocalOptions): number =>
  inspect === true ? 9229 : (inspect ?? 0);
