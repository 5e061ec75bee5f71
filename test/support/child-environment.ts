/**
 * For child processes. A hook of Git, or `git rebase --exec`, names this project's repository in
 * GIT_DIR, which a child's own repository must not be.
 */
export const childEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
