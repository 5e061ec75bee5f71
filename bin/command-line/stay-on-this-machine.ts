import { devNull, tmpdir } from 'node:os';
import { bypassProxy } from './bypass-proxy.ts';

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
