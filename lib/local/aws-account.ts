/** The account of everything on this machine: the one that local emulators put into queue URLs. */
export const account = '000000000000';

/** The region of everything on this machine: the one of the CDK's examples. */
export const region = 'us-east-1';

/**
 * The credentials of clients on this machine. No server verifies the signature, but DynamoDB Local
 * accepts only letters and digits in an access key.
 */
export const credentials = { accessKeyId: 'local', secretAccessKey: 'local' } as const;

export const arn = (service: string, resource: string): string =>
  `arn:aws:${service}:${region}:${account}:${resource}`;

/** The ARN of a function, without a version or an alias. */
export const functionArn = (name: string): string => arn('lambda', `function:${name}`);

/** The name of a function, from its ARN or name, with or without a version or an alias. */
export const functionName = (arnOrName: string): string =>
  /^(?:.*:function:)?([^:]+)/.exec(arnOrName)?.[1] ?? arnOrName;

export const queueArn = (name: string): string => arn('sqs', name);

export const queueName = (queueArn: string): string => queueArn.split(':').at(-1) ?? '';

/** The URL by which the SDK addresses a queue of the server at `serverUrl`. */
export const queueUrl = (serverUrl: string, name: string): string =>
  `${serverUrl}/${account}/${name}`;

/** The name of a bus, from its ARN or the name itself; without one, the bus of every account. */
export const busName = (arnOrName = 'default'): string =>
  arnOrName.split('event-bus/').at(-1) ?? '';

/** The table of `arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label>`. */
export const tableOfStream = (streamArn: string): string => streamArn.split('/')[1] ?? streamArn;
