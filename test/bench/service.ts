import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { figure } from './markdown-table.ts';
import type { Part, Row } from './row.ts';
import type { Measured } from './service-clients.ts';
import { quantile, spreadOf } from './spread.ts';

const usualRounds = 9;

/**
 * The whole service over HTTP against the same operations in DynamoDB, for 16 clients. What follows
 * a request behind the stream is left out: it would compete with the next one in both cases.
 */
export const service: Part = {
  name: 'service',
  measure: async (bench) => {
    const rounds = bench.runs(usualRounds);
    bench.progress('service: 16 clients, starting');
    const program = join(import.meta.dirname, 'service-clients.ts');
    const clients = fork(program, [bench.stack.url ?? '', String(rounds)]);
    const rows: Row[] = [];
    clients.on('message', (measured: Measured) => {
      bench.progress(`service: ${measured.endpoint} done`);
      rows.push(...rowsOf(measured));
    });
    const [code] = await once(clients, 'exit');
    if (code !== 0) throw new Error('The clients of the service have failed.');
    return rows;
  },
};

const rowsOf = ({ endpoint, overHttp, direct, latenciesMs }: Measured): Row[] => {
  const sorted = latenciesMs.toSorted((one, other) => one - other);
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  return [
    {
      what: `Whole service: ${endpoint}`,
      measured: spreadOf(overHttp.map((rate, round) => rate / (direct[round] ?? 0))),
      unit: '×',
      target: { least: 0.35 },
      note: `${figure(spreadOf(overHttp).median)} of ${figure(spreadOf(direct).median)} requests/s, p50 ${figure(p50)} ms, p99 ${figure(p99)} ms`,
    },
  ];
};
