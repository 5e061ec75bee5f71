import { Command, Option } from 'commander';
import { numberBetween } from '../../bin/number-argument.ts';
import { TerminalLine } from '../../bin/terminal-line.ts';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/bundles/build-directory.ts';
import { bundleFunctions } from '../../lib/bundles/bundles.ts';
import { chaosBugs, withMutant } from '../interleave/mutants.ts';
import { startFaultyService } from '../support/faulty-service.ts';
import { checkHistories } from './check-histories.ts';
import { Figures } from './figures.ts';
import { HistoryCount, type RunOptions } from './history-count.ts';

const count = numberBetween(0, 999_999_999, 'Give a whole number up to 999,999,999.');

const options = new Command('npm run chaos --')
  .description(
    'Runs random histories of requests, retries and faults against the running stack, and verifies after each that the table agrees with every response.',
  )
  .option('--histories <number>', 'the number of histories', count, 100)
  .option('--seed <number>', 'repeats the histories of a run', count, Date.now() % 1_000_000)
  .addOption(
    new Option('--bug <name>', 'adds a bug, to verify that the histories find it').choices(
      chaosBugs,
    ),
  )
  .option('--no-shrink', 'ends with the first violation, and looks for no shorter history')
  .addHelpText(
    'after',
    '\nExit codes: 0 no violation, 1 a violation; the shortest history that was found is printed.',
  )
  .parse()
  .opts<RunOptions>();
const { histories, seed, bug, shrink } = options;

console.log(`Seed ${seed}, ${histories} histories${bug ? `, with the bug ${bug}` : ''}.`);
const app = await createApp(
  { outdir: buildDirectory(), ...withoutValidation },
  bundleFunctions(bug ? [withMutant(bug)] : []),
);
const service = await startFaultyService({ assemblyDirectory: app.synth().directory });
const figures = new Figures();

const historyCount = new HistoryCount(options);
let drawn = 0;
/** One line that is written over on a terminal, and a line now and then elsewhere. */
const line = new TerminalLine();
const progress = ({ counted, news }: ReturnType<HistoryCount['add']>) => {
  drawn += 1;
  const text = `${counted}, ${figures.requests} requests`;
  line.show(text);
  if (!process.stderr.isTTY && drawn % 50 === 0) console.error(text);
  if (!news) return;
  line.clear();
  console.error(news);
};

const violation = await checkHistories(service, { seed, histories, shrink }, figures, (violated) =>
  progress(historyCount.add(violated)),
);
await service.stop();

console.log(`\n${figures}\n${violation ? 'a violation' : 'no violation'}`);
if (violation) {
  console.log(`\n${violation.message}\n\nin the shortest history that was found:`);
  console.log(JSON.stringify(violation.history, null, 1));
  const withBug = bug ? ` --bug ${bug}` : '';
  console.log(`Again: npm run chaos -- --histories ${histories} --seed ${seed}${withBug}`);
}
process.exit(violation ? 1 : 0);
