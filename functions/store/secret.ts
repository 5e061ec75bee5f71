import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { environment } from './environment.ts';

const client = new SecretsManagerClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
});

let cached: Promise<string> | undefined;

/** The key that cursors are authenticated with, read once for each function instance. */
export const cursorKey = (): Promise<string> => {
  cached ??= load().catch((error) => {
    cached = undefined;
    throw error;
  });
  return cached;
};

const load = async () => {
  const { SecretString } = await client.send(
    new GetSecretValueCommand({ SecretId: environment('CURSOR_SECRET_ARN') }),
  );
  if (!SecretString) throw new Error('The cursor secret has no value.');
  return SecretString;
};
