import { Command, InvalidArgumentError, Option } from 'commander';
import { stop } from 'esbuild';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import { type Case, cases } from './cases.ts';
import { type Checked, checkCase, extentOf } from './check.ts';
import { useDatabase } from './database.ts';
import { diagramOf, WatchedServices } from './diagram.ts';
import { compileFunctions, runSchedule } from './explore.ts';
import { Follower, readLine } from './line.ts';
import { mutantNames, withMutant } from './mutants.ts';

const count = (text: string) => {
  if (!/^\d{1,2}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
};

const caseNames = cases.map(({ name }) => name);
const command = new Command('npm run interleave --')
  .description(
    'Runs every interleaving of a few requests, with every fault at every point, on the real functions and DynamoDB Local, and verifies each.',
  )
  .addOption(new Option('--case <name...>', 'only these cases').choices(caseNames))
  .addOption(
    new Option('--bug <name>', 'with a bug, to verify that it is found').choices(mutantNames),
  )
  .option('--preemptions <number>', 'only schedules with this many preemptions', count)
  .option('--replay <line>', 'runs one schedule, and prints it as a sequence diagram of Mermaid')
  .addHelpText(
    'after',
    `\nCases:\n${cases.map(({ name, about }) => `  ${name.padEnd(22)} ${about}`).join('\n')}\n\nExit codes: 0 no violation, 1 a violation, 130 interrupted.`,
  )
  .parse();
const options = command.opts<{
  readonly case?: readonly string[];
  readonly bug?: string;
  readonly preemptions?: number;
  readonly replay?: string;
}>();

const find = (name: string): Case => {
  const found = cases.find((each) => each.name === name);
  return found ?? command.error(`error: there is no case ${name}.`);
};

let isInterrupted = false;
process.once('SIGINT', () => {
  isInterrupted = true;
});

const [database, programs] = await Promise.all([
  startDynamodb(),
  compileFunctions(options.bug ? [withMutant(options.bug)] : []),
]);
await stop();
await useDatabase(database.url);
const world = { programs, dynamodb: database.url };

const replay = async (line: string): Promise<boolean> => {
  const { caseName, steps } = readLine(line);
  const services = new WatchedServices(database.url);
  const { choose } = new Follower(steps, true);
  const run = await runSchedule(programs, services, find(caseName), choose);
  console.log(diagramOf(run, services));
  for (const each of [...run.told, ...(run.violations ?? [])]) console.log(`%% ${each}`);
  return !run.violations?.length;
};

const columns = ['case', 'schedules', 'of them repetitions', 'outcomes', 'seconds', 'violation'];
const row = ({ name, schedules, repetitions, outcomes, seconds, violation }: Checked): string[] => [
  name,
  String(schedules),
  String(repetitions),
  String(outcomes.size),
  seconds.toFixed(0),
  violation?.line ?? 'none',
];

const all = async (): Promise<boolean> => {
  const results: Checked[] = [];
  for (const name of options.case ?? caseNames) {
    if (isInterrupted) break;
    const each = find(name);
    const { preemptions } = options;
    const extent = preemptions === undefined ? extentOf(each) : { isReduced: false, preemptions };
    const result = await checkCase(world, each, extent, (schedules) => {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${name}: ${schedules}`);
      else if (schedules % 100 === 0) console.error(`${name}: ${schedules}`);
      return isInterrupted;
    });
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    results.push(result);
    if (!result.violation) continue;
    const bug = options.bug ? `--bug ${options.bug} ` : '';
    console.log(result.violation.messages.join('\n'));
    console.log(`Again: npm run interleave -- ${bug}--replay '${result.violation.line}'`);
  }
  console.log(
    [columns, columns.map(() => '---'), ...results.map(row)]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n'),
  );
  return results.every(({ violation }) => !violation);
};

const isWell = await (options.replay ? replay(options.replay) : all());
await database.stop();
process.exit(isInterrupted ? 130 : isWell ? 0 : 1);
