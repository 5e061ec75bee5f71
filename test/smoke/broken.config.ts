/** The tests of the contract against a stage that is broken for each of them in another way. */
export default {
  test: {
    include: ['test/service/**/*.test.ts'],
    setupFiles: ['test/support/running-stack.ts', 'test/smoke/say-which-test.ts'],
    reporters: [['json', { stdout: true }]],
    isolate: false,
    testTimeout: 100_000,
    hookTimeout: 100_000,
    // Longer than a test, so that one which waits in vain is reported as timed out.
    expect: { poll: { timeout: 200_000, interval: 300 } },
  },
};
