/**
 * For child processes. A hook of Git, or `git rebase --exec`, names this project's repository in
 * GIT_DIR, which a child's own repository must not be. And npm names the folder in which it was
 * called.
 */
export const childEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => name !== 'INIT_CWD' && !name.startsWith('GIT_')),
  );
