import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { routes } from '../../functions/domain/routes.ts';
import { requestTo } from '../support/function-events.ts';
import { bundleFile } from './bundling.ts';
import { figure } from './markdown-table.ts';
import type { Part } from './row.ts';
import { requireSuccess } from './scenarios.ts';
import { spreadOf } from './spread.ts';

const usualRounds = 40;

/** What an endpoint takes of the CPU besides its work, with no network and everything warm. */
export const middleware: Part = {
  name: 'middleware',
  measure: async (bench) => {
    bench.progress('middleware: requests to an endpoint whose answer is constant');
    const bundle = await bundleFile(join(import.meta.dirname, 'constant-endpoint.ts'));
    const event = requestTo(routes.approvePaymentRequest, {
      tenant: { workspace: 'wsp_bench', account: 'acc_bench' },
      id: 'ptr_bench',
      body: { approver: '11111111-1111-4111-8111-111111111111', reason: 'Matches the timesheet' },
    });
    const { environment } = bench.deployed('approve-payment-request');
    const child = fork(
      join(import.meta.dirname, 'middleware-process.ts'),
      [bundle, JSON.stringify(event), String(bench.runs(usualRounds))],
      { env: environment, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
    );
    const [{ ours, floor, answer }] = await once(child, 'message');
    requireSuccess('The endpoint', answer);
    const { median: least } = spreadOf(floor);
    return [
      {
        what: 'CPU of a warm request besides its work',
        measured: spreadOf(ours.map((us: number) => us - least)),
        unit: 'µs',
        target: { most: 50 },
        note: `${figure(spreadOf(ours).median)} against ${figure(least)} µs`,
      },
    ];
  },
};
