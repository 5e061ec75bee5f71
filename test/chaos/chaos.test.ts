import { expect, onTestFinished, test, vi } from 'vitest';
import { startServiceOfFile } from '../support/faulty-stack.ts';
import { checkHistories } from './check-histories.ts';
import { Figures } from './figures.ts';

test('random histories leave what every client was answered', async () => {
  // Each instance that is killed would leave megabytes of coverage behind.
  vi.stubEnv('NODE_V8_COVERAGE', undefined);
  const service = await startServiceOfFile();
  onTestFinished(() => service.stop());
  const figures = new Figures();
  const violation = await checkHistories(
    service,
    { seed: 1, histories: 15, shrink: true },
    figures,
  );
  expect(violation, `${figures}`).toBeUndefined();
}, 1_800_000);
