import {
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  ListSecretsCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, onTestFinished, test } from 'vitest';
import {
  readSecrets,
  startSecretsManagerServer,
} from '../secrets-manager/secrets-manager-server.ts';
import { clientOf } from './client-of.ts';
import { resource, templateOf } from './small-assembly.ts';

test('Secrets Manager generates a value, takes a new one, and gives the one before it too', async () => {
  const GenerateSecretString = { PasswordLength: 64, ExcludePunctuation: true };
  const Key = resource('AWS::SecretsManager::Secret', { GenerateSecretString });
  const server = await startSecretsManagerServer(readSecrets(templateOf({ Key })));
  onTestFinished(() => server.stop());
  const client = clientOf(SecretsManagerClient, server.url);
  const get = (version: Partial<GetSecretValueCommandInput> = {}) =>
    client.send(new GetSecretValueCommand({ SecretId: 'Small-Key', ...version }));
  const put = (SecretString: string, ClientRequestToken?: string) => {
    const input = { SecretId: 'Small-Key', SecretString, ClientRequestToken };
    return client.send(new PutSecretValueCommand(input));
  };
  const previous = { VersionStage: 'AWSPREVIOUS' };

  const { SecretList: [secret] = [] } = await client.send(new ListSecretsCommand());
  const { SecretString: first } = await get({ SecretId: secret?.ARN });
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  for (const missing of [previous, { SecretId: 'other' }]) {
    await expect(get(missing)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  }
  // However often it is asked to.
  const token = '00000000-0000-4000-8000-000000000000';
  for (let time = 0; time < 2; time++) await put('second', token);
  expect(await get()).toMatchObject({ SecretString: 'second', VersionStages: ['AWSCURRENT'] });
  expect(await get(previous)).toMatchObject({ SecretString: first });
  await put('third');
  expect(await get(previous)).toMatchObject({ SecretString: 'second' });
});
