import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { verifyTable } from '../../bin/admin/service/verify-table.ts';
import { startFaultyService } from '../support/faulty-service.ts';
import { history } from './history.ts';
import { runHistory } from './run-history.ts';

const { HISTORIES = '15', HISTORIES_SEED = '1' } = process.env;

test('random histories leave what every client was told', async () => {
  // Each instance that is killed would leave megabytes of coverage behind.
  vi.stubEnv('NODE_V8_COVERAGE', undefined);
  const service = await startFaultyService();
  onTestFinished(() => service.stop());
  const isRight = fc.asyncProperty(history, async (each) => {
    expect((await runHistory(service, each)).violations).toEqual([]);
  });
  const seed = Number(HISTORIES_SEED);
  await fc.assert(isRight, { seed, numRuns: Number(HISTORIES), endOnFailure: true });
  expect((await verifyTable()).violations).toEqual([]);
}, 14_400_000);
