import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { TestCase } from 'vitest/node';
import { TestWorkspaceId } from '../../functions/domain/identifiers.ts';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { AdminError, InterruptedError, UsageError } from '../command-line/admin-error.ts';
import { colourTerminals } from '../command-line/colour-terminals.ts';
import { connect, type Service, type ServiceChoice } from '../command-line/connect.ts';
import { reportError } from '../command-line/report-error.ts';
import { readStackFile } from '../stack-file/stack-file.ts';
import { stages } from '../stages.ts';
import { closeOldTaps } from './event-tap.ts';
import { type GivenService, givenVariable, workers } from './given-service.ts';
import { mailFaultOf } from './mail-fault.ts';
import { cleanUp, own } from './owned.ts';
import { warnWithoutPolicy } from './stack-policy.ts';

interface SmokeOptions extends ServiceChoice {
  readonly url?: string;
  readonly token?: string;
  readonly workspace?: string;
  readonly skip: readonly string[];
  readonly junit?: string;
  readonly json?: boolean;
}

const readWorkspace = (text: string): string => {
  if (TestWorkspaceId.safeParse(text).success) return text;
  throw new InvalidArgumentError('It must be the id of a test workspace, such as wsp_test_….');
};

/** Tests the contract on a running service. */
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
are removed at the end. Several runs at once do not affect each other. On a stage mail goes to the mailbox
simulator of Amazon SES only. A run that is killed leaves some 200 items, with smoke_<run> in their ids, and
tokens that end within an hour.
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

const exitOnInterrupt = (consequence: string): void => {
  process.once('SIGINT', () => {
    process.exit(reportError(new InterruptedError(`Interrupted. ${consequence}`)));
  });
};

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

/** @throws AdminError when nothing responds there, so that no test waits for a response */
const requireResponse = async (url: string): Promise<void> => {
  await fetch(url, { signal: AbortSignal.timeout(10_000) }).catch(({ cause, name }) => {
    throw new AdminError(
      `The service cannot be reached at ${url} (${cause?.code ?? name}). If it is the local run, is \`npm start\` still running?`,
    );
  });
};

/** Says on which stage the tests run, and where: its bus has the account and region in its ARN. */
const announce = ({ stage }: SmokeOptions, { eventBus = '' }: Service): void => {
  if (!stage) return;
  const [, , , region, account] = eventBus.split(':');
  console.log(
    `Runs the tests of the contract, with data of their own, on the stage ${stage} in the account ${account}, region ${region}.`,
  );
};

// Longer than API Gateway caches an authorizer's response, and EventBridge takes to follow a new
// rule: 60 s.
const poll = { timeout: 75_000, interval: 300 };
const testTimeout = 100_000;

/** A title as an expression that matches it. */
const escaped = (title: string) => title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');

/**
 * Runs the tests; Vitest sets the exit code.
 *
 * @returns what there is in the files, skipped or not
 */
const runTests = async (
  service: GivenService,
  { skip, junit, stage, url }: SmokeOptions,
): Promise<TestCase[]> => {
  process.env[givenVariable] = JSON.stringify(service);
  colourTerminals();
  const { startVitest } = await import('vitest/node');
  const vitest = await startVitest('test', command.args, {
    config: false,
    root: join(import.meta.dirname, '../..'),
    watch: false,
    include: ['test/service/**/*.test.ts'],
    setupFiles: [
      ...(stage || url ? ['bin/command-line/use-proxy.ts'] : []),
      'test/support/running-stack.ts',
    ],
    isolate: false,
    maxWorkers: workers,
    testTimeout,
    hookTimeout: testTimeout,
    expect: { poll },
    reporters: ['verbose', ...(junit ? ['junit'] : [])],
    ...(junit && { outputFile: { junit } }),
    ...(skip.length > 0 && { testNamePattern: `^(?!.*(?:${skip.map(escaped).join('|')}))` }),
  });
  const tests = vitest.state.getTestModules().flatMap((file) => [...file.children.allTests()]);
  await vitest.close();
  return tests;
};

/** @throws AdminError when a run proves nothing */
const requireProof = (tests: readonly TestCase[]): void => {
  if (tests.length > 0 && tests.every((test) => test.result().state === 'skipped')) {
    throw new AdminError('No test ran: each was skipped.');
  }
};

const smoke = async (options: SmokeOptions): Promise<void> => {
  rejectContradictions(options);
  const { token, workspace, stage } = options;
  const url = options.url?.replace(/\/+$/, '');
  if (url && token && !stage) {
    await requireResponse(url);
    console.log(`Runs the tests of the contract on ${url}, with the data of its token.`);
    exitOnInterrupt('Nothing was created.');
    const given = { url, token, ...(workspace && { workspace }) };
    requireProof(await runTests(given, options));
    return;
  }
  const service = await connect(options);
  if (stage && service.keepsData) await warnWithoutPolicy(stage);
  await requireResponse(url ?? service.url);
  announce(options, service);
  // A version without events has no bus.
  if (service.eventBus) await closeOldTaps(service.eventBus);
  const run = newOpaque();
  const ownedFile = join(buildDirectory(), 'owned');
  own(ownedFile);
  const left = `The run leaves its items, with smoke_${run} in their ids.`;
  exitOnInterrupt(left);
  const mailbox = stage ? undefined : readStackFile(options.stackFile).mailbox;
  const tests = await runTests(
    {
      url: url ?? service.url,
      run,
      ownedFile,
      author: await service.operator(),
      eventBus: service.eventBus,
      ...(mailbox && { mailbox }),
      mailFault: stage && (await mailFaultOf(stages[stage] ?? {})),
    },
    options,
  );
  await cleanUp(ownedFile).catch((error) => {
    throw new AdminError(`${left} ${error.message}`);
  });
  requireProof(tests);
};

command.action(() => smoke(command.optsWithGlobals<SmokeOptions>()));
