import { devNull, tmpdir } from 'node:os';

/**
 * Makes this process and its children deaf to the proxy and the AWS settings of the shell and of
 * ~/.aws, for what runs on this machine: the SDK would request credentials of a profile that are
 * not needed, change the endpoint, or call AWS.
 */
export const stayOnThisMachine = (): void => {
  bypassProxy();
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AWS_')) delete process.env[name];
  }
  Object.assign(process.env, {
    AWS_CONFIG_FILE: devNull,
    AWS_SHARED_CREDENTIALS_FILE: devNull,
    AWS_EC2_METADATA_DISABLED: 'true',
  });
  // A user without a name has no home, where the SDK and the CDK look for files all the same.
  process.env.HOME ||= tmpdir();
};

/**
 * Keeps requests to this machine from a proxy: with NODE_USE_ENV_PROXY, Node.js sends it all that
 * `no_proxy` does not name. Child processes inherit the variable.
 */
export const bypassProxy = (): void => {
  const { NO_PROXY = '', no_proxy = NO_PROXY } = process.env;
  process.env.no_proxy = `127.0.0.1,localhost,${no_proxy}`;
};
