import { afterEach, expect, inject, test } from 'vitest';
import { createApp, withoutValidation } from '../../lib/app.ts';
import { buildDirectory } from '../../lib/build-directory.ts';
import { bundleFunctions } from '../../lib/bundles.ts';
import { type FaultyService, startFaultyService } from '../support/faulty-service.ts';
import { type BugName, bugNames, withBug } from './bugs.ts';
import { checkHistories } from './check-histories.ts';
import { Figures } from './figures.ts';

// Each instance that is killed would leave megabytes of coverage behind.
delete process.env.NODE_V8_COVERAGE;

let service: FaultyService;
afterEach(() => service.stop());

test('random histories leave what everybody was told', async () => {
  service = await startFaultyService(inject('stack').assemblyDirectory);
  const figures = new Figures();
  const violation = await checkHistories(
    service,
    { seed: 1, histories: 15, shrink: true },
    figures,
  );
  console.log(`${figures}`);
  expect(violation).toBeUndefined();
}, 1_800_000);

test.each(bugNames)(
  'they find the bug %s',
  async (bug: BugName) => {
    const app = await createApp(
      { outdir: buildDirectory(), ...withoutValidation },
      bundleFunctions([withBug(bug)]),
    );
    service = await startFaultyService(app.synth().directory);
    expect(
      await checkHistories(service, { seed: 1, histories: 100, shrink: false }, new Figures()),
    ).toBeDefined();
  },
  1_800_000,
);
