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
import { type Row, summaryOf } from './figures.ts';
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

/** RESULTS.md: how to read the figures, and the figures. */
const resultsPage = (rows: readonly Row[], summary: string, run: string): string =>
  `# Results of the benchmark

Written by \`npm run bench\`: ${run}. ${summary}

Each row compares a function with another, which the same run measures in turns with it (\`ms\` has both medians):

- **floor**: a function that only gets one item, with the clients of the SDK that ours loads.
- **peer**: the same endpoint with Powertools' \`makeHandlerIdempotent\`, without authentication and validation
  ([resend](peer-resend-offer.ts), [approve](peer-approve-payment-request.ts)).
- **trimmed**: the function itself, against one without the trims of \`lib/bundles/trims.ts\`.

Cold is from the import of the module to the first response, in a fresh process, over TLS; on AWS a sandbox, a runtime and
a download come first. Away is a warm function, with 5 ms between it and DynamoDB Local.

\`\`\`text
${columns(rows)}
\`\`\`
`;

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
