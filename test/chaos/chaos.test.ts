import { expect, inject, onTestFinished, test } from 'vitest';
import { startFaultyService } from '../support/faulty-service.ts';
import { checkHistories } from './check-histories.ts';
import { Figures } from './figures.ts';

// Each instance that is killed would leave megabytes of coverage behind.
delete process.env.NODE_V8_COVERAGE;

test('random histories leave what everybody was told', async () => {
  const service = await startFaultyService(inject('stack').assemblyDirectory);
  onTestFinished(() => service.stop());
  const figures = new Figures();
  const violation = await checkHistories(
    service,
    { seed: 1, histories: 15, shrink: true },
    figures,
  );
  console.log(`${figures}`);
  expect(violation).toBeUndefined();
}, 1_800_000);
