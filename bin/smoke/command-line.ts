import { resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { TestWorkspaceId } from '../../functions/domain/identifiers.ts';
import { UsageError } from '../command-line/admin-error.ts';
import type { SmokeOptions } from './run-smoke.ts';

const readWorkspace = (text: string): string => {
  if (TestWorkspaceId.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be the id of a test workspace, such as wsp_test_….');
};

export const command = new Command('smoke')
  .description(
    'Run the tests of the contract, test/service, on the service, or with --url and --token on any.',
  )
  .argument('[files...]', 'only the test files whose paths contain one of these')
  .option(
    '--url <url>',
    'with --stage or --token: the base URL of the API (default: the one in the outputs of the stage)',
  )
  .addOption(
    new Option(
      '--token <token>',
      'with --url: a token with every scope; the tests that need more are skipped',
    ).env('WFP_TOKEN'),
  )
  .option(
    '--workspace <id>',
    "with --token: the test workspace of the token, a sandbox's; the tests use its payment request and its offer",
    readWorkspace,
  )
  .addOption(
    new Option(
      '--skip <titles...>',
      'leave out the tests whose titles contain one of these',
    ).default([], 'none'),
  )
  .option('--junit <file>', 'also write the results as JUnit XML', (file) => resolve(file))
  .addHelpText(
    'after',
    `
With --stage and on the local run the tests create workspaces, managers, tokens and data of their own, which
are removed ten seconds after the last test. Several runs at once do not affect each other. On a stage mail
goes to the mailbox simulator of Amazon SES only. A run that is killed leaves some 200 items, with
smoke_<run> in their ids, and tokens that end within an hour.
With --url and --token no data of their own are created; tests that need more are skipped and listed. The
token is of a live workspace, or of a test workspace that --workspace names: its payment request is approved
and its offer sent again, which sends no mail, and the tests of sandboxes are skipped.

The reports hold the tests alone: that data could not be removed is said on standard error.

Exit codes: 0 every test passed or was skipped; 1 a test failed, no test ran, the service cannot be
reached, or the data of a run could not be removed; 2 the command line is wrong; 130 interrupted.

Examples:
  bin/wfp smoke
  bin/wfp smoke --stage dev --region eu-central-1 --junit smoke.xml
  bin/wfp smoke --stage dev --skip 'a mail to'
  bin/wfp smoke --url https://api.your.domain --token wfp_test_… --workspace wsp_test_…`,
  );

/** @throws UsageError when the options contradict each other */
const rejectContradictions = (options: SmokeOptions): void => {
  const { url, token, workspace, stage, json } = options;
  if (json) throw new UsageError('Results are no JSON: use --junit.');
  if (command.getOptionValueSource('token') === 'cli' && (!url || stage)) {
    throw new UsageError('--token belongs to --url, without --stage.');
  }
  if (workspace && (!url || !token || stage)) {
    throw new UsageError('--workspace belongs to --url and --token.');
  }
  if (url && !token && !stage) throw new UsageError('--url needs --token or --stage.');
};

command.action(async () => {
  const options = command.optsWithGlobals<SmokeOptions>();
  rejectContradictions(options);
  // Operators' other commands start without it.
  const { smoke } = await import('./run-smoke.ts');
  await smoke(options, command.args);
});
