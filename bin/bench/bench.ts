import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import { columns } from '../command-line/print.ts';
import { runProgram } from '../command-line/run-program.ts';
import { stayOnThisMachine } from '../command-line/stay-on-this-machine.ts';
import { measureColdStarts } from './cold-starts.ts';
import { measureDistance } from './distance.ts';
import { summaryOf } from './figures.ts';
import { resultsPage } from './results-page.ts';
import { startBench } from './start-bench.ts';

/** Above it, other processes disturb the figures. */
const quietLoad = 0.5;

const program = new Command('npm run bench --').description(
  'Measures the times of the service against floors that are measured in the same run. Needs nothing but this machine.',
);

stayOnThisMachine();
const begin = performance.now();
const elapsedS = () => Math.round((performance.now() - begin) / 1000);
const progress = (line: string) => console.error(`${String(elapsedS()).padStart(4)} s  ${line}`);

const measure = async (): Promise<void> => {
  const [loadBefore = 0] = loadavg();

  progress('starting DynamoDB Local');
  const dynamodb = await startDynamodb();
  progress('synthesizing and starting the service');
  const bench = await startBench(dynamodb.url, progress);
  const rows = [...(await measureColdStarts(bench)), ...(await measureDistance(bench))];
  await bench.stack.stop();
  await dynamodb.stop();

  const surroundings = [
    `${cpus().length} cores of ${cpus()[0]?.model.trim()}`,
    `${Math.round(totalmem() / 2 ** 30)} GB`,
    `${type()} ${release()}`,
    `Node.js ${process.version}`,
    `load before ${loadBefore.toFixed(2)}`,
  ].join(', ');
  const summary = summaryOf(rows);
  console.log(`\n${columns(rows)}\n\n${summary}`);
  console.log(surroundings);
  if (loadBefore < quietLoad) {
    const page = resultsPage(rows, summary, `${elapsedS()} s, ${surroundings}`);
    writeFileSync(join(import.meta.dirname, 'RESULTS.md'), page);
  } else {
    console.error(
      `RESULTS.md is kept: others were busy (load ${loadBefore}, of ${quietLoad} at most).`,
    );
  }
};

await runProgram(program.action(measure));
process.exit();
