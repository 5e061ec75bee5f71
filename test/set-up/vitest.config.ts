import config from '../../vitest.config.ts';

const { projects: _, ...common } = config.test ?? {};

/** What this project's tests have in common, for a file whose set-up fails. */
export default {
  test: { ...common, include: ['test/set-up/fixture.ts'], globalSetup: [], setupFiles: [] },
};
