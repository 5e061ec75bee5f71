import { configDefaults, defineConfig } from 'vitest/config';
import { compiledCode } from './bin/command-line/keep-compiled.ts';
import { stayOnThisMachine } from './bin/command-line/stay-on-this-machine.ts';

const domain = 'test/domain/*.test.ts';

/** Half of the time of all tests, about code that few changes touch: `npm test` leaves them out. */
const faults = ['test/faults/*.test.ts', 'test/interleave/!(smallest).test.ts'];

/** The engine by itself: the service does not run meanwhile. */
const ofEngine = 'lib/local/test/*.test.ts';

const withService = {
  globalSetup: ['test/support/run-directory.ts', 'test/support/global-setup.ts'],
  setupFiles: ['test/support/running-stack.ts'],
  isolate: false,
};

// Workers and the processes that tests start compile the same code as the last run.
process.env.NODE_COMPILE_CACHE ??= compiledCode;
stayOnThisMachine();

export default defineConfig({
  test: {
    // A cold function on a busy machine is slow; no test is about how long anything takes.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 300_000,
    // A little less, so that a test which waits in vain says for what.
    expect: { poll: { timeout: 270_000 } },
    unstubEnvs: true,
    // A worker waits for the service as long as it computes.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, domain, ...faults],
          ...withService,
        },
      },
      { extends: true, test: { name: 'faults', include: faults, ...withService } },
      // Pure functions: they start at once.
      { extends: true, test: { name: 'domain', include: [domain], isolate: false } },
      {
        extends: true,
        test: {
          name: 'tools',
          include: ['{bin,lib}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ofEngine],
          ...withService,
        },
      },
      {
        extends: true,
        test: {
          name: 'local-engine',
          include: [ofEngine],
          globalSetup: 'test/support/run-directory.ts',
          isolate: false,
        },
      },
    ],
  },
});
