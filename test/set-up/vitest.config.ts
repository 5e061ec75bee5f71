import config from '../../vitest.config.ts';

/** This project's configuration, for a file whose set-up fails. */
export default {
  ...config,
  test: { ...config.test, include: ['test/set-up/fixture.ts'], globalSetup: [], setupFiles: [] },
};
