/**
 * What clients sign with on this machine. Nothing checks the signature, but DynamoDB Local refuses
 * an access key that has anything but letters and digits.
 */
export const localCredentials = { accessKeyId: 'local', secretAccessKey: 'local' };
