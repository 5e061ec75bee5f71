import { execFileSync } from 'node:child_process';
import { Command, InvalidArgumentError, Option } from 'commander';
import { stop } from 'esbuild';
import { AdminError, UsageError } from '../../bin/command-line/admin-error.ts';
import { runProgram } from '../../bin/command-line/run-program.ts';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import { besideCases, caseNamed, cases } from './cases/cases.ts';
import { mutantNames, mutants, withMutant } from './cases/mutants.ts';
import { compileFunctions, compileFunctionsOf } from './cases/programs.ts';
import { useTable } from './cases/table.ts';
import type { Case, Platform } from './engine/case.ts';
import { type Checked, checkCase } from './engine/check.ts';
import { runSchedule } from './engine/explore.ts';
import { Follower, readLine } from './engine/line.ts';
import { NotPossible } from './engine/steps.ts';

const commitOf = (name: string): string => {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`];
  try {
    return execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  } catch {
    throw new InvalidArgumentError('The history that is here has no such commit.');
  }
};
const caseOf = (name: string): Case => {
  try {
    return caseNamed(name);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
};
const lineOfCase = (line: string) => {
  const { caseName, steps } = readLine(line);
  return { found: caseOf(caseName), steps };
};
const linesOf = (all: readonly Pick<Case, 'name' | 'about'>[]) =>
  all.map(({ name, about }) => `  ${name.padEnd(22)} ${about}`).join('\n');
const command = new Command('npm run interleave --')
  .description(
    'Runs every interleaving of a few requests, with every fault at every point, on the real functions and DynamoDB Local, and verifies each.',
  )
  .option('--case <name...>', 'only these cases', (name, names: readonly string[] = []) => [
    ...names,
    caseOf(name).name,
  ])
  .addOption(
    new Option(
      '--beside <commit>',
      "runs two versions at once: the functions of a commit beside today's",
    )
      .argParser(commitOf)
      .conflicts('bug'),
  )
  .addOption(
    new Option('--bug <name>', 'adds a bug, to verify that its case finds it').choices([
      'all',
      ...mutantNames,
    ]),
  )
  .option('--replay <line>', 'runs one schedule, and prints its steps', lineOfCase)
  .addHelpText(
    'after',
    `
Cases:
${linesOf(cases)}

Cases with --beside, each also with @not- in place of @: then all others are of the commit.
${linesOf(besideCases.filter(({ name }) => !name.includes('@not-')))}

Bugs:
${linesOf(Object.entries(mutants).map(([name, [, about]]) => ({ name, about })))}

Exit codes: 0 no violation (with --bug: every bug is found), 1 otherwise, 2 the command line is wrong, 130 interrupted.`,
  );

interface Options {
  readonly case?: readonly string[];
  readonly bug?: string;
  readonly beside?: string;
  readonly replay?: ReturnType<typeof lineOfCase>;
}

/** What the options select, and where it runs. */
interface Run extends Options {
  readonly chosenCases: readonly Case[];
  readonly table: Omit<Platform, 'programs'>;
}

const casesOf = ({ beside, replay: wanted, case: names = [] }: Options): readonly Case[] => {
  const chosen = beside ? besideCases : cases;
  for (const name of wanted ? [wanted.found.name] : names) {
    if (chosen.some((each) => each.name === name)) continue;
    throw new UsageError(`The case ${name} is run ${beside ? 'without' : 'with'} --beside.`);
  }
  return chosen;
};

let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
});

const compiled = async (bug?: string, beside?: string): Promise<Platform['programs']> => {
  const programs = await compileFunctions(bug ? [withMutant(bug)] : []);
  const others = beside ? await compileFunctionsOf(beside) : [];
  await stop();
  return new Map([...programs, ...others]);
};

const replay = async (
  { found, steps }: ReturnType<typeof lineOfCase>,
  { table, bug, beside }: Run,
): Promise<boolean> => {
  const follower = new Follower(steps, true);
  const platform = { ...table, programs: await compiled(bug, beside) };
  const run = await runSchedule(platform, found, follower.choose).catch((error) => {
    if (error instanceof NotPossible) throw new AdminError(error.message);
    throw error;
  });
  const [left] = follower.left;
  if (left) throw new AdminError(`The schedule is over before ${left.name}.`);
  for (const { name, ending, call, response } of run.steps) {
    console.log([name, call?.operation, ending, response?.statusCode].filter(Boolean).join(' '));
  }
  for (const { letter, status, text } of run.tries) console.log(`${letter}: ${status} ${text}`);
  for (const each of run.violations ?? []) console.log(each);
  return !run.violations?.length;
};

const check = (name: string, platform: Platform): Promise<Checked> =>
  checkCase(platform, caseNamed(name), true, (schedules) => {
    if (schedules % 100 === 0) console.error(`${name}: ${schedules}`);
    return isInterrupted;
  });

const printRow = (cells: readonly (string | number)[]) => console.log(`| ${cells.join(' | ')} |`);

/** Runs cases, of the code as it is or with each of these bugs. */
const checkCases = async ({
  table,
  bug,
  beside,
  chosenCases,
  ...options
}: Run): Promise<boolean> => {
  let isWell = true;
  const again: string[] = [];
  const head = ['case', 'schedules', 'endings', 'seconds', 'violation'];
  printRow(head);
  printRow(head.map(() => '---'));
  for (const each of bug === 'all' ? mutantNames : [bug]) {
    if (isInterrupted) break;
    const programs = await compiled(each, beside);
    const [line] = mutants[each ?? ''] ?? [];
    const all = line ? [readLine(line).caseName] : chosenCases.map(({ name }) => name);
    const found = again.length;
    for (const name of options.case ?? all) {
      if (isInterrupted) break;
      const { schedules, endings, seconds, violation } = await check(name, { ...table, programs });
      const end = violation ? `\`${violation.line}\`` : isInterrupted ? 'interrupted' : 'none';
      const row = [schedules, endings.size, seconds.toFixed(0), end];
      printRow([each ? `${each}: ${name}` : name, ...row]);
      if (!violation) continue;
      const version = beside ? `--beside ${beside} ` : each ? `--bug '${each}' ` : '';
      again.push(
        `\n${violation.messages.join('\n')}`,
        `Again: npm run interleave -- ${version}--replay '${violation.line}'`,
      );
    }
    isWell &&= again.length > found === (each !== undefined);
  }
  console.log(again.join('\n'));
  return isWell;
};

command.action(async (options: Options) => {
  const chosenCases = casesOf(options);
  const database = await startDynamodb();
  const run = { ...options, chosenCases, table: await useTable(database.url) };
  const isWell = await (options.replay ? replay(options.replay, run) : checkCases(run));
  await database.stop();
  process.exitCode = isInterrupted ? 130 : isWell ? 0 : 1;
});
await runProgram(command, () => {
  isInterrupted = true;
});
process.exit();
