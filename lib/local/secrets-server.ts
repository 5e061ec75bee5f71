import { randomInt, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { type Listener, listen } from './listen.ts';
import type { ResourceShape } from './template/honoured.ts';
import type { Template } from './template/template.ts';

const GenerateSecretString = z.object({
  PasswordLength: z.number().default(32),
  ExcludeCharacters: z.string().default(''),
  ExcludeLowercase: z.boolean().default(false),
  ExcludeNumbers: z.boolean().default(false),
  ExcludePunctuation: z.boolean().default(false),
  ExcludeUppercase: z.boolean().default(false),
  IncludeSpace: z.boolean().default(false),
  RequireEachIncludedType: z.boolean().default(true),
  SecretStringTemplate: z.string().optional(),
  GenerateStringKey: z.string().optional(),
});

const SecretProperties = z.object({
  Name: z.string().optional(),
  SecretString: z.string().optional(),
  GenerateSecretString: GenerateSecretString.optional(),
});

const secretShape: ResourceShape<z.infer<typeof SecretProperties>> = {
  type: 'AWS::SecretsManager::Secret',
  honoured: SecretProperties,
  withoutEffect: ['Description', 'KmsKeyId', 'ReplicaRegions', 'Tags'],
};

interface StoredSecret {
  ARN: string;
  Name: string;
  VersionId: string;
  SecretString: string;
  CreatedDate: number;
}

/** By ARN. */
type Secrets = Record<string, StoredSecret>;

/**
 * A Secrets Manager that answers GetSecretValue for the template's secrets, in the SDK's JSON 1.1.
 * A generated value is made once: `file` keeps it for the next start, so that what was signed or
 * encrypted with it stays valid as long as the data beside it.
 */
export async function startSecretsServer(template: Template, file?: string): Promise<Listener> {
  const kept: Secrets =
    file !== undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  const secrets = Object.fromEntries(
    template.read(secretShape).map(({ logicalId, name, properties }): [string, StoredSecret] => {
      const arn = String(template.resolve({ Ref: logicalId }));
      const { SecretString, GenerateSecretString: generate } = properties;
      const value = SecretString ?? kept[arn]?.SecretString ?? generateSecret(generate);
      const secret = { ARN: arn, Name: name, VersionId: randomUUID(), CreatedDate: Date.now() };
      return [arn, { ...secret, ...kept[arn], SecretString: value }];
    }),
  );
  if (file !== undefined) writeFileSync(file, JSON.stringify(secrets, null, 2), { mode: 0o600 });
  return listen(
    createServer((request, response) => answer(secrets, request, response)),
    0,
  );
}

async function answer(
  secrets: Secrets,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { SecretId = '' } = (await json(request)) as { SecretId?: string };
  const operation = request.headers['x-amz-target'];
  const secret = secrets[SecretId] ?? Object.values(secrets).find(({ Name }) => Name === SecretId);
  if (operation !== 'secretsmanager.GetSecretValue') {
    reply(response, 400, {
      __type: 'UnknownOperationException',
      Message: `The local Secrets Manager does not offer '${operation}'.`,
    });
  } else if (secret === undefined) {
    reply(response, 400, {
      __type: 'ResourceNotFoundException',
      Message: "Secrets Manager can't find the specified secret.",
    });
  } else {
    const { CreatedDate, ...rest } = secret;
    reply(response, 200, {
      ...rest,
      CreatedDate: CreatedDate / 1000,
      VersionStages: ['AWSCURRENT'],
    });
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(JSON.stringify(body));
}

/** A secret without either property is created empty, and has no value to get; here it is ''. */
function generateSecret(options: z.infer<typeof GenerateSecretString> | undefined): string {
  if (options === undefined) return '';
  const password = generatePassword(options);
  const { SecretStringTemplate, GenerateStringKey } = options;
  if (SecretStringTemplate === undefined || GenerateStringKey === undefined) return password;
  return JSON.stringify({ ...JSON.parse(SecretStringTemplate), [GenerateStringKey]: password });
}

function generatePassword(options: z.infer<typeof GenerateSecretString>): string {
  const allowed = (characters: string) =>
    [...characters].filter((character) => !options.ExcludeCharacters.includes(character));
  const types = [
    options.ExcludeLowercase ? [] : allowed('abcdefghijklmnopqrstuvwxyz'),
    options.ExcludeUppercase ? [] : allowed('ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
    options.ExcludeNumbers ? [] : allowed('0123456789'),
    // The characters that "GetRandomPassword" in the Secrets Manager API reference counts.
    options.ExcludePunctuation ? [] : allowed('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'),
    options.IncludeSpace ? allowed(' ') : [],
  ].filter((characters) => characters.length > 0);
  const all = types.flat();

  // Drawing again until every type occurs keeps each possible password equally likely.
  for (;;) {
    const drawn = Array.from({ length: options.PasswordLength }, () => all[randomInt(all.length)]);
    const complete = types.every((type) => type.some((character) => drawn.includes(character)));
    if (complete || !options.RequireEachIncludedType) return drawn.join('');
  }
}
