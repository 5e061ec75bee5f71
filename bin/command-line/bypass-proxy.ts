/**
 * Keeps requests to this machine from a proxy: with NODE_USE_ENV_PROXY, Node.js sends it all that
 * `no_proxy` does not name. Child processes inherit the variable.
 */
export const bypassProxy = (): void => {
  const { NO_PROXY = '', no_proxy = NO_PROXY } = process.env;
  process.env.no_proxy = `127.0.0.1,localhost,${no_proxy}`;
};
