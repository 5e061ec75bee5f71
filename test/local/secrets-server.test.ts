import { join } from 'node:path';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { expect, it, onTestFinished } from 'vitest';
import { localCredentials } from '../../lib/local/local-credentials.ts';
import { startSecretsServer } from '../../lib/local/secrets-server.ts';
import { Template } from '../../lib/local/template/template.ts';
import { assemblyOf, temporaryDirectory } from './assembly.ts';

/** Starts a server for these secrets and returns how to get a value of it. */
async function serve(secrets: Record<string, object>, file?: string) {
  const Resources = Object.fromEntries(
    Object.entries(secrets).map(([id, Properties]) => [
      id,
      { Type: 'AWS::SecretsManager::Secret', Properties },
    ]),
  );
  const template = new Template(assemblyOf({ Resources }));
  const server = await startSecretsServer(template, file);
  const client = new SecretsManagerClient({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: localCredentials,
  });
  onTestFinished(async () => {
    client.destroy();
    await server.stop();
  });
  return {
    template,
    client,
    get: (SecretId: string) => client.send(new GetSecretValueCommand({ SecretId })),
  };
}

it('gives a secret by its ARN and by its name', async () => {
  const { template, get } = await serve({ Key: { Name: 'key', SecretString: 'open sesame' } });
  const arn = String(template.resolve({ Ref: 'Key' }));

  const secret = await get(arn);
  expect(secret).toMatchObject({ ARN: arn, Name: 'key', SecretString: 'open sesame' });
  expect(secret.CreatedDate).toBeInstanceOf(Date);
  expect((await get('key')).SecretString).toBe('open sesame');
});

it.each([
  [{}, /^[!-~]{32}$/],
  [{ PasswordLength: 64, ExcludePunctuation: true }, /^[0-9A-Za-z]{64}$/],
  [
    { ExcludeUppercase: true, ExcludePunctuation: true, ExcludeCharacters: 'abc' },
    /^[0-9d-z]{32}$/,
  ],
  [
    {
      ExcludeLowercase: true,
      ExcludeUppercase: true,
      ExcludePunctuation: true,
      IncludeSpace: true,
      PasswordLength: 2,
    },
    /^(\d | \d)$/,
  ],
  [
    { SecretStringTemplate: '{"user":"me"}', GenerateStringKey: 'password' },
    /^\{"user":"me","password":".{32,}"\}$/,
  ],
])('generates a value for %j', async (GenerateSecretString, expected) => {
  const { get } = await serve({ Key: { GenerateSecretString } });
  expect((await get('Small-Key')).SecretString).toMatch(expected);
});

it('puts every type of character into a value', async () => {
  const { get } = await serve({ Key: { GenerateSecretString: { PasswordLength: 4 } } });
  const value = (await get('Small-Key')).SecretString;
  for (const type of [/[a-z]/, /[A-Z]/, /[0-9]/, /[^0-9A-Za-z]/]) expect(value).toMatch(type);
});

it('keeps a generated value in a file, and follows a value that is set', async () => {
  const file = join(temporaryDirectory(), 'secrets.json');
  const first = await serve(
    { Key: { GenerateSecretString: {} }, Set: { SecretString: 'old' } },
    file,
  );
  const second = await serve(
    { Key: { GenerateSecretString: {} }, Set: { SecretString: 'new' } },
    file,
  );

  expect(await second.get('Small-Key')).toMatchObject({
    SecretString: (await first.get('Small-Key')).SecretString,
  });
  expect((await second.get('Small-Set')).SecretString).toBe('new');
});

it('knows no other secret and no other operation', async () => {
  const { client, get } = await serve({});
  await expect(get('other')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });

  const { ListSecretsCommand } = await import('@aws-sdk/client-secrets-manager');
  await expect(client.send(new ListSecretsCommand({}))).rejects.toMatchObject({
    name: 'UnknownOperationException',
  });
});
