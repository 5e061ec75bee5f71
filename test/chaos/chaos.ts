import { Command, InvalidArgumentError, Option } from 'commander';
import { createApp, quickly } from '../../lib/app.ts';
import { bundleFunctions, temporaryDirectory } from '../../lib/bundles.ts';
import { startFaultyService } from '../support/faulty-service.ts';
import { type BugName, bugNames, withBug } from './bugs.ts';
import { checkHistories } from './check-histories.ts';
import { Figures } from './figures.ts';

const count = (text: string) => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
};

const { histories, seed, bug } = new Command('npm run chaos --')
  .description(
    'Runs random histories of requests, retries and faults against the running stack, and checks after each that the table is what everybody was told.',
  )
  .option('--histories <number>', 'how many', count, 100)
  .option('--seed <number>', 'repeats the histories of a run', count, Date.now() % 1_000_000)
  .addOption(new Option('--bug <name>', 'puts a bug in, to see that it is found').choices(bugNames))
  .addHelpText(
    'after',
    '\nExit codes: 0 no violation, 1 a violation; the shortest history is printed.',
  )
  .parse()
  .opts<{ histories: number; seed: number; bug?: BugName }>();

console.log(`Seed ${seed}, ${histories} histories${bug ? `, with the bug ${bug}` : ''}.`);
const app = await createApp(
  { outdir: temporaryDirectory(), ...quickly },
  bundleFunctions(bug ? [withBug(bug)] : []),
);
const service = await startFaultyService(app.synth().directory);
const figures = new Figures();

let done = 0;
const violation = await checkHistories(service, { seed, histories, shrink: true }, figures, () => {
  done += 1;
  progress();
});
await service.stop();

console.log(`\n${figures}\n${violation ? 'a violation' : 'no violation'}`);
if (violation) {
  console.log(`\n${violation.message}\n\nin the shortest history found:`);
  console.log(JSON.stringify(violation.history, null, 1));
  console.log(`Again: npm run chaos -- --histories ${histories} --seed ${seed}`);
}
process.exit(violation ? 1 : 0);

/** One line that is written over on a terminal, and a line now and then elsewhere. */
function progress() {
  const line = `${done} histories, ${figures.requests} requests`;
  if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
  else if (done % 50 === 0) console.error(line);
}
