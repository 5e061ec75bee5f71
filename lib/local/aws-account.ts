/** The account of everything on this machine: the one that local emulators put into queue URLs. */
export const account = '000000000000';

/** The region of everything on this machine: the one of the CDK's examples. */
export const region = 'us-east-1';

/**
 * The credentials of clients on this machine. No server verifies the signature, but DynamoDB Local
 * accepts only letters and digits in an access key.
 */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

/** The ARN of something in this account and region. */
export const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:${region}:${account}:${resource}`;
