import { Command, InvalidArgumentError, Option } from 'commander';
import { stop } from 'esbuild';
import { TerminalLine } from '../../bin/terminal-line.ts';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import type { Case } from './case.ts';
import { cases } from './cases.ts';
import { type Checked, checkCase, type Platform } from './check.ts';
import { useDatabase } from './database.ts';
import { diagramOf, WatchedServices } from './diagram.ts';
import { runSchedule } from './explore.ts';
import { Follower, readLine } from './line.ts';
import { harmless, mutantNames, mutants, withMutant } from './mutants.ts';
import { compileFunctions } from './programs.ts';
import { NotPossible } from './steps.ts';

const count = (text: string) => {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
};

const caseNames = cases.map(({ name }) => name);
const find = (name: string): Case | undefined => cases.find((each) => each.name === name);
const lineOfCase = (line: string) => {
  const { caseName, steps } = readLine(line);
  const found = find(caseName);
  if (!found) throw new InvalidArgumentError(`There is no case ${caseName}.`);
  return { found, steps };
};
const command = new Command('npm run interleave --')
  .description(
    'Runs every interleaving of a few requests, with every fault at every point, on the real functions and DynamoDB Local, and verifies each.',
  )
  .addOption(new Option('--case <name...>', 'only these cases').choices(caseNames))
  .addOption(
    new Option('--bug <name>', 'adds a bug, to verify that its case finds it').choices([
      'all',
      ...mutantNames,
    ]),
  )
  .option('--preemptions <number>', 'only schedules with this many preemptions at most', count)
  .option(
    '--replay <line>',
    'runs one schedule, and prints it as a sequence diagram of Mermaid',
    lineOfCase,
  )
  .addHelpText(
    'after',
    `\nCases:\n${cases.map(({ name, about }) => `  ${name.padEnd(22)} ${about}`).join('\n')}\n\nExit codes: 0 no violation (with --bug: every bug is found that does harm), 1 otherwise, 130 interrupted.`,
  )
  .parse();
const options = command.opts<{
  readonly case?: readonly string[];
  readonly bug?: string;
  readonly preemptions?: number;
  readonly replay?: ReturnType<typeof lineOfCase>;
}>();

let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
});

const database = await startDynamodb();
await useDatabase(database.url);

const compiled = async (bug: string | undefined) => {
  const programs = await compileFunctions(bug ? [withMutant(bug)] : []);
  await stop();
  return programs;
};

const replay = async ({ found, steps }: ReturnType<typeof lineOfCase>): Promise<boolean> => {
  const services = new WatchedServices(database.url);
  const follower = new Follower(steps, true);
  const programs = await compiled(options.bug);
  const run = await runSchedule(programs, services, found, follower.choose).catch((error) => {
    if (error instanceof NotPossible) command.error(`error: ${error.message}`);
    throw error;
  });
  const [left] = follower.left;
  if (left) command.error(`error: The schedule is over before ${left.name}.`);
  console.log(diagramOf(run, services));
  for (const { letter, status, text } of run.tries) console.log(`%% ${letter}: ${status} ${text}`);
  for (const each of run.violations ?? []) console.log(`%% ${each}`);
  return !run.violations?.length;
};

const check = async (name: string, programs: Platform['programs']): Promise<Checked> => {
  const each = find(name) as Case;
  const { preemptions } = options;
  const extent = preemptions === undefined ? undefined : { isReduced: false, preemptions };
  const line = new TerminalLine();
  const checked = await checkCase(
    { programs, dynamodb: database.url },
    each,
    extent,
    (schedules) => {
      line.show(`${name}: ${schedules}`);
      if (!process.stderr.isTTY && schedules % 100 === 0) console.error(`${name}: ${schedules}`);
      return isInterrupted;
    },
  );
  line.clear();
  return checked;
};

const printRow = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);

const printHead = (named: string) => {
  const head = [named, 'schedules', 'of them repetitions', 'outcomes', 'seconds', 'violation'];
  printRow(head);
  printRow(head.map(() => '---'));
};

const printResult = (name: string, checked: Checked) => {
  const { schedules, repetitions, outcomes, seconds, violation } = checked;
  const line = violation ? `\`${violation.line}\`` : isInterrupted ? 'interrupted' : 'none';
  printRow([name, schedules, repetitions, outcomes.size, seconds.toFixed(0), line]);
};

/** Runs cases, of the code as it is or with one bug. */
const checkCases = async (bug: string | undefined): Promise<boolean> => {
  const programs = await compiled(bug);
  const violations: NonNullable<Checked['violation']>[] = [];
  printHead('case');
  for (const name of options.case ?? (bug ? [mutants[bug]?.[0] ?? ''] : caseNames)) {
    if (isInterrupted) break;
    const checked = await check(name, programs);
    printResult(name, checked);
    if (checked.violation) violations.push(checked.violation);
  }
  for (const { messages, line } of violations) {
    console.log(`\n${messages.join('\n')}`);
    const withBug = bug ? `--bug '${bug}' ` : '';
    console.log(`Again: npm run interleave -- ${withBug}--replay '${line}'`);
  }
  return violations.length > 0 === (bug !== undefined);
};

const checkBugs = async (): Promise<boolean> => {
  let isAsExpected = true;
  printHead('bug');
  for (const bug of mutantNames) {
    if (isInterrupted) break;
    const checked = await check(mutants[bug]?.[0] ?? '', await compiled(bug));
    printResult(bug, checked);
    isAsExpected &&= (checked.violation === undefined) === harmless.includes(bug);
  }
  return isAsExpected;
};

const { bug, replay: wanted } = options;
const isWell = await (wanted ? replay(wanted) : bug === 'all' ? checkBugs() : checkCases(bug));
await database.stop();
process.exit(isInterrupted ? 130 : isWell ? 0 : 1);
