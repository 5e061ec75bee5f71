import type { Reporter, TestCase, TestModule } from 'vitest/node';

/**
 * Reports the tests that a failed set-up kept from running. Vitest counts them as skipped, like
 * those that were left out on purpose.
 */
export default class SetUpFailures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const { relativeModuleId, children } of modules) {
      const { length } = [...children.allTests()].filter(wasPrevented);
      if (length > 0)
        console.error(`Set-up FAILED: ${length} tests of ${relativeModuleId} did not run.`);
    }
  }
}

/** The mode is what the file wants, the state the result. A test that skips itself says why. */
const wasPrevented = (test: TestCase): boolean => {
  const result = test.result();
  return test.options.mode === 'run' && result.state === 'skipped' && !result.note;
};
