import { linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  GetSecretValueCommand,
  type GetSecretValueCommandInput,
  ListSecretsCommand,
  PutSecretValueCommand,
  type PutSecretValueCommandInput,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { expect, onTestFinished, test } from 'vitest';
import { readSecrets, SecretStore } from '../secrets-manager/secret-store.ts';
import { startSecretsManagerServer } from '../secrets-manager/secrets-manager-server.ts';
import { clientOf } from './client-of.ts';
import { readerOf } from './small-assembly.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const generated = { GenerateSecretString: {} };
const previous = { VersionStage: 'AWSPREVIOUS' };

/** Starts a server for these secrets and returns how to get and put a value of it. */
const serve = async (secrets: Record<string, object>, file?: string) => {
  const Resources = Object.fromEntries(
    Object.entries(secrets).map(([id, Properties]) => [
      id,
      { Type: 'AWS::SecretsManager::Secret', Properties },
    ]),
  );
  const reader = readerOf(Resources);
  const server = await startSecretsManagerServer(new SecretStore(readSecrets(reader), file));
  onTestFinished(() => server.stop());
  const client = clientOf(SecretsManagerClient, server.url);
  return {
    arn: String(reader.resolve({ Ref: 'Key' })),
    client,
    get: (SecretId: string, version: Partial<GetSecretValueCommandInput> = {}) =>
      client.send(new GetSecretValueCommand({ SecretId, ...version })),
    put: (SecretId: string, SecretString: string, more: Partial<PutSecretValueCommandInput> = {}) =>
      client.send(new PutSecretValueCommand({ SecretId, SecretString, ...more })),
  };
};

test('Secrets Manager gives a secret by its ARN and by its name', async () => {
  const { arn, get } = await serve({ Key: { ...generated, Name: 'key' } });

  const secret = await get(arn);
  expect(secret).toMatchObject({ ARN: arn, Name: 'key' });
  expect(secret.CreatedDate).toBeInstanceOf(Date);
  expect((await get('key')).SecretString).toBe(secret.SecretString);
});

test.each([
  [{}, /^[!-~]{32}$/],
  [{ PasswordLength: 64, ExcludePunctuation: true }, /^[0-9A-Za-z]{64}$/],
])('Secrets Manager generates a value for %j', async (GenerateSecretString, expected) => {
  const { get } = await serve({ Key: { GenerateSecretString } });
  expect((await get('Small-Key')).SecretString).toMatch(expected);
});

test('Secrets Manager puts every type of character into a value', async () => {
  const { get } = await serve({ Key: { GenerateSecretString: { PasswordLength: 4 } } });
  const value = (await get('Small-Key')).SecretString;
  for (const type of [/[a-z]/, /[A-Z]/, /[0-9]/, /[^0-9A-Za-z]/]) expect(value).toMatch(type);
});

test('Secrets Manager replaces its file by another one that is complete', async () => {
  const file = join(temporaryDirectory(), 'secrets.json');
  const { put } = await serve({ Key: { ...generated, Name: 'key' } }, file);
  const before = `${file}.before`;
  linkSync(file, before);
  await put('key', 'second');
  expect(readFileSync(file, 'utf8')).toContain('second');
  expect(readFileSync(before, 'utf8')).not.toContain('second');
});

test('Secrets Manager names a file that cannot be read', async () => {
  const file = join(temporaryDirectory(), 'secrets.json');
  writeFileSync(file, '');
  await expect(serve({ Key: { ...generated, Name: 'key' } }, file)).rejects.toThrow(
    `${file} cannot be read: Unexpected end of JSON input. Restore it from a copy, or remove it`,
  );
});

test('Secrets Manager takes a new value, gives the one before it too, and keeps both', async () => {
  const file = join(temporaryDirectory(), 'secrets.json');
  const secrets = { Key: generated };
  const { get, put } = await serve(secrets, file);
  const first = await get('Small-Key');
  await expect(get('Small-Key', previous)).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message:
      "Secrets Manager can't find the specified secret value for staging label: AWSPREVIOUS.",
  });

  const { VersionId } = await put('Small-Key', 'second');
  for (const getFrom of [get, (await serve(secrets, file)).get]) {
    expect(await getFrom('Small-Key')).toMatchObject({
      SecretString: 'second',
      VersionId,
      VersionStages: ['AWSCURRENT'],
    });
    expect(await getFrom('Small-Key', previous)).toMatchObject({
      SecretString: first.SecretString,
      VersionId: first.VersionId,
      VersionStages: ['AWSPREVIOUS'],
    });
  }
  expect(await get('Small-Key', { VersionId: first.VersionId })).toMatchObject({
    VersionStages: ['AWSPREVIOUS'],
  });

  await put('Small-Key', 'third');
  expect(await get('Small-Key', previous)).toMatchObject({ SecretString: 'second' });
  await expect(get('Small-Key', { VersionId: first.VersionId })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: expect.stringContaining(`VersionId: ${first.VersionId}`),
  });
});

test('Secrets Manager puts a value once, however often it is asked to', async () => {
  const { get, put } = await serve({ Key: generated });
  const ClientRequestToken = '00000000-0000-4000-8000-000000000000';
  const { SecretString } = await get('Small-Key');
  for (let time = 0; time < 2; time++) await put('Small-Key', 'second', { ClientRequestToken });

  expect(await get('Small-Key', previous)).toMatchObject({ SecretString });
  await expect(put('Small-Key', 'third', { ClientRequestToken })).rejects.toMatchObject({
    name: 'ResourceExistsException',
  });
});

test.each([
  { SecretString: undefined, SecretBinary: new Uint8Array([1]) },
  { VersionStages: ['AWSPENDING'] },
])('Secrets Manager does not pretend to keep %j', async (what) => {
  const { put } = await serve({ Key: generated });
  await expect(put('Small-Key', 'second', what)).rejects.toMatchObject({
    name: 'InvalidRequestException',
  });
});

test('Secrets Manager has no other secret and no other operation', async () => {
  const { client, get } = await serve({ Key: generated });
  await expect(get('other')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });

  await expect(client.send(new ListSecretsCommand({}))).rejects.toMatchObject({
    name: 'UnknownOperationException',
  });
});
