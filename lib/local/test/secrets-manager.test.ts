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

const previous = { VersionStage: 'AWSPREVIOUS' };

const serve = async () => {
  const GenerateSecretString = { PasswordLength: 64, ExcludePunctuation: true };
  const Key = resource('AWS::SecretsManager::Secret', { GenerateSecretString });
  const server = await startSecretsManagerServer(readSecrets(templateOf({ Key })));
  onTestFinished(() => server.stop());
  const client = clientOf(SecretsManagerClient, server.url);
  return {
    client,
    get: (version: Partial<GetSecretValueCommandInput> = {}) =>
      client.send(new GetSecretValueCommand({ SecretId: 'Small-Key', ...version })),
    put: (SecretString: string, ClientRequestToken?: string) =>
      client.send(
        new PutSecretValueCommand({ SecretId: 'Small-Key', SecretString, ClientRequestToken }),
      ),
  };
};

test('Secrets Manager generates a value, and gives it by ARN and by name', async () => {
  const { client, get } = await serve();
  const { SecretList: [secret, ...others] = [] } = await client.send(new ListSecretsCommand());
  expect(others).toEqual([]);
  const { SecretString } = await get();
  expect(SecretString).toMatch(/^[0-9a-f]{64}$/);
  expect(await get({ SecretId: secret?.ARN })).toMatchObject({ SecretString });
  await expect(get({ SecretId: 'other' })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test('Secrets Manager takes a new value, and gives the one before it too', async () => {
  const { get, put } = await serve();
  const { SecretString: first } = await get();
  await expect(get(previous)).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: expect.stringContaining('staging label: AWSPREVIOUS'),
  });
  // However often it is asked to.
  const token = '00000000-0000-4000-8000-000000000000';
  for (let time = 0; time < 2; time++) await put('second', token);
  expect(await get()).toMatchObject({ SecretString: 'second', VersionStages: ['AWSCURRENT'] });
  expect(await get(previous)).toMatchObject({ SecretString: first });
  await put('third');
  expect(await get(previous)).toMatchObject({ SecretString: 'second' });
});
