import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { ignoreAwsSettings } from '../../bin/ignore-aws-settings.ts';
import { numberBetween } from '../../bin/number-argument.ts';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import { chartOf } from './chart.ts';
import { coldStarts } from './cold-starts.ts';
import { idempotentWrites } from './idempotent-writes.ts';
import { resultOf, tableOf } from './markdown-table.ts';
import { memory } from './memory.ts';
import { middleware } from './middleware.ts';
import { queues } from './queue-delays.ts';
import { resultsPage } from './results-page.ts';
import { isMet, type Part, type Row } from './row.ts';
import { service } from './service.ts';
import { startBench } from './start-bench.ts';

const parts: readonly Part[] = [coldStarts, middleware, idempotentWrites, service, queues, memory];

const options = new Command('npm run bench --')
  .description(
    'Measures the times and the memory of the service against floors that are measured in the same run. Needs nothing but this machine.',
  )
  .addOption(
    new Option('--only <part...>', 'measures these parts only, and writes no files').choices(
      parts.map(({ name }) => name),
    ),
  )
  .option(
    '--runs <number>',
    'repeats every measurement this often',
    numberBetween(1, 999_999, 'Give a whole number above 0.'),
  )
  .parse()
  .opts<{ only?: string[]; runs?: number }>();

ignoreAwsSettings();
const begin = performance.now();
const elapsedS = () => Math.round((performance.now() - begin) / 1000);
const progress = (line: string) => console.error(`${String(elapsedS()).padStart(4)} s  ${line}`);
const [loadBefore = 0] = loadavg();

progress('starting DynamoDB Local');
const dynamodb = await startDynamodb();
const rows: Row[] = [];
const wanted = parts.filter(({ name }) => options.only?.includes(name) ?? true);
// What follows from requests comes first, before there is so much in the table that it is slow to
// drop.
for (const consuming of [true, false]) {
  const together = wanted.filter((part) => (part.consuming ?? false) === consuming);
  if (together.length === 0) continue;
  progress('synthesizing and starting the service');
  const bench = await startBench(dynamodb.url, consuming);
  const runs = (usual: number) => options.runs ?? usual;
  for (const part of together) rows.push(...(await part.measure({ ...bench, runs, progress })));
  await bench.stop();
}
await dynamodb.stop();

const machine = {
  processor: cpus()[0]?.model.trim(),
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  system: `${type()} ${release()}`,
  node: process.version,
  /** How many processes wanted to run, on average in the minute before: above 0.5, others did. */
  loadBefore: Number(loadBefore.toFixed(2)),
};
const judged = rows.map(isMet).filter((met) => met !== undefined);
console.log(`\n${tableOf(rows)}\n`);
console.log(`${judged.filter(Boolean).length} of ${judged.length} targets met.`);
console.log(
  Object.entries(machine)
    .map(([name, value]) => `${name} ${value}`)
    .join(', '),
);
if (!options.only) {
  const results = {
    date: new Date().toISOString(),
    tookS: elapsedS(),
    machine,
    rows: rows.map(resultOf),
    coldStarts: coldStarts.bars,
  };
  writeFileSync(join(import.meta.dirname, 'bench.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(import.meta.dirname, 'cold-starts.svg'), chartOf(coldStarts.bars));
  writeFileSync(join(import.meta.dirname, 'RESULTS.md'), resultsPage(results));
}
process.exit();
