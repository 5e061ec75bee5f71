/** A contract that has grown from release to release. */
export default {
  test: { include: ['test/rehearsal/since.fixture.ts'], reporters: [['json', { stdout: true }]] },
};
