import { writeFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { newOpaque } from '../functions/runtime/identity.ts';
import { AdminError, UsageError } from './admin/admin-error.ts';
import { connect } from './admin/connect.ts';
import { interruptedCode } from './admin/interruption.ts';
import { addTargetOptions, type Options } from './admin/options.ts';
import { Progress } from './admin/progress.ts';
import { reportError } from './admin/report-error.ts';
import { caller } from './smoke/call.ts';
import type { Check, Context } from './smoke/check.ts';
import { checks } from './smoke/checks.ts';
import { cleanUp, describeLeftData, leaveData } from './smoke/clean-up.ts';
import { junitOf, lineOf, summaryOf, totalsOf } from './smoke/report.ts';
import { outOfTime, type Result, runCheck, runChecks } from './smoke/run-checks.ts';
import { createWorld } from './smoke/world.ts';

interface SmokeOptions extends Options {
  readonly url?: string;
  readonly token?: string;
  readonly skip: readonly string[];
  readonly full?: boolean;
  readonly junit?: string;
}

const program = addTargetOptions(new Command('npm run smoke --'))
  .description(
    'Proves that a running service keeps its contract: the one that `npm start` runs here, with --stage a deployed one, or with --url and --token any.',
  )
  .option('--url <url>', 'the base URL of the API, where it is not the one that the service names')
  .addOption(
    new Option(
      '--token <token>',
      'with --url: proves what this token can prove, which belongs to a live workspace and has every scope',
    ).env('WFP_TOKEN'),
  )
  .option('--skip <checks...>', 'leave these checks out, by name', [])
  .option('--full', 'also wait for what takes a minute (always with --stage)')
  .option('--junit <file>', 'also write the results as JUnit XML')
  .addHelpText(
    'after',
    `
With --stage and on the local run it makes accounts, workspaces, managers, tokens and data of its own
and removes them at the end. If a run is killed, a run half an hour later removes its data. Several runs
at once do not disturb each other. Mail goes to the mailbox simulator of Amazon SES only.

Exit codes: 0 every check passed or was skipped; 1 a check failed, or the service cannot be reached;
2 the command line is wrong; 130 interrupted.

Checks:
${[...checks, cleanUp].map(({ name, proves }) => `  ${name.padEnd(26)} ${proves}`).join('\n')}

Examples:
  npm run smoke
  npm run smoke -- --stage dev --region eu-central-1 --junit smoke.xml
  npm run smoke -- --url https://api.your.domain --token wfp_live_…`,
  )
  .exitOverride();

// Read from here, since the command line may be wrong.
const json = process.argv.includes('--json');
if (json) program.configureOutput({ writeErr: () => {} });

/** The run was interrupted; the message says what it leaves. */
class Interrupted extends AdminError {
  override readonly name = 'Interrupted';
  override readonly exitCode = interruptedCode;
}

const exitOnInterrupt = (consequence: string): void => {
  process.once('SIGINT', () => {
    process.exit(reportError(new Interrupted(`Interrupted. ${consequence}`), json));
  });
};

/** @throws UsageError when the options contradict each other */
const rejectContradictions = ({ url, stage, skip }: SmokeOptions): void => {
  if (program.getOptionValueSource('token') === 'cli' && (!url || stage)) {
    throw new UsageError('--token belongs to --url, without --stage.');
  }
  const unknown = skip.filter((name) => !checks.some((check) => check.name === name));
  if (unknown.length > 0) throw new UsageError(`There is no check ${unknown.join(', ')}.`);
};

/** Finds the service, and makes what the checks need. */
const prepare = async (options: SmokeOptions): Promise<Context & { readonly url: string }> => {
  const { token, stage } = options;
  const given = options.url?.replace(/\/+$/, '');
  if (given && token && !stage) {
    exitOnInterrupt('Nothing was created.');
    return { url: given, call: caller(given), token, world: undefined, full: true };
  }
  const service = await connect(options);
  const run = newOpaque();
  exitOnInterrupt(describeLeftData(run));
  const world = await createWorld(run, service, stage !== undefined);
  const url = given ?? service.url;
  const full = options.full ?? world.deployed;
  return { url, call: caller(url), token: world.live.token, world, full };
};

const smoke = async (options: SmokeOptions): Promise<void> => {
  rejectContradictions(options);
  const startedMs = performance.now();
  const context = await prepare(options);
  const wanted = checks.filter(({ name }) => !options.skip.includes(name));
  const progress = new Progress('checks', wanted.length);
  const results: Result[] = [];
  const report = (result: Result) => {
    results.push(result);
    progress.clear();
    if (!json) console.log(lineOf(result));
    progress.show(results.length);
  };
  for (const name of options.skip) report(resultOfSkipped(name));
  const allEnded = await runChecks(wanted, context, report);
  const lastCheck = allEnded ? cleanUp : leaveData;
  if (context.world) report(await runCheck(lastCheck, context, outOfTime(cleanUpLimitMs)));
  progress.clear();

  const durationMs = Math.round(performance.now() - startedMs);
  const { url } = context;
  if (options.junit) writeFileSync(options.junit, junitOf(results, durationMs));
  const totals = totalsOf(results);
  const summary = { url, ...totals, duration_ms: durationMs, checks: results };
  console.log(json ? JSON.stringify(summary) : summaryOf(url, results, durationMs));
  process.exitCode = totals.failed > 0 ? 1 : 0;
};

const cleanUpLimitMs = 25_000;

/** The result of a check that `--skip` names. */
const resultOfSkipped = (name: string): Result => {
  const { proves } = checks.find((check) => check.name === name) as Check;
  return { name, proves, outcome: 'skipped', duration_ms: 0, detail: 'Left out by --skip.' };
};

try {
  await program.action(() => smoke(program.opts<SmokeOptions>())).parseAsync();
} catch (error) {
  process.exitCode = reportError(error, json);
}
// A check whose time was over may still be waiting.
process.exit();
