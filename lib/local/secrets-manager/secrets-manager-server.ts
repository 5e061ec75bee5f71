import { randomBytes, randomUUID } from 'node:crypto';
import { secretArn } from '../aws-account.ts';
import type { Template } from '../cloudformation/template.ts';
import { type Operations, ServiceError, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';

/** One value that a secret has or had. */
interface SecretVersion {
  readonly id: string;
  readonly value: string;
}

/** A secret with its values, by their staging labels. */
interface Secret {
  readonly arn: string;
  readonly name: string;
  readonly versions: { readonly AWSCURRENT: SecretVersion; readonly AWSPREVIOUS?: SecretVersion };
}

/** The template's secrets, with new values; CloudFormation's have 32 characters unless it says. */
export const readSecrets = (template: Template): Secret[] =>
  template.read('AWS::SecretsManager::Secret', ({ name, properties }) => {
    const { PasswordLength = 32 } = properties.GenerateSecretString;
    const value = randomBytes(PasswordLength).toString('hex').slice(0, PasswordLength);
    return { arn: secretArn(name), name, versions: { AWSCURRENT: { id: randomUUID(), value } } };
  });

/** A Secrets Manager that gives and changes the values of the template's secrets. */
export const startSecretsManagerServer = (
  given: readonly Secret[],
  log?: (line: string) => void,
): Promise<Listener> => {
  const secrets = new Map(given.map((secret) => [secret.arn, secret]));
  const find = (id: string): Secret => {
    const found = secrets.values().find(({ arn, name }) => [arn, name].includes(id));
    if (found) return found;
    throw notFound('secret');
  };
  const operations: Operations = {
    'secretsmanager.ListSecrets': () => ({
      SecretList: [...secrets.values()].map(({ arn: ARN, name: Name }) => ({ ARN, Name })),
    }),
    'secretsmanager.GetSecretValue': ({ SecretId, VersionStage = 'AWSCURRENT' }) => {
      const { arn: ARN, name: Name, versions } = find(SecretId);
      const version = versions[VersionStage as keyof typeof versions];
      if (!version) throw notFound(`secret value for staging label: ${VersionStage}`);
      const { id: VersionId, value: SecretString } = version;
      return { ARN, Name, VersionId, VersionStages: [VersionStage], SecretString };
    },
    'secretsmanager.PutSecretValue': ({
      SecretId,
      SecretString: value,
      ClientRequestToken: id,
    }) => {
      const secret = find(SecretId);
      // The SDKs send a token, which becomes the version's id: a repeated request changes nothing.
      if (secret.versions.AWSCURRENT.id !== id) {
        const versions = { AWSCURRENT: { id, value }, AWSPREVIOUS: secret.versions.AWSCURRENT };
        secrets.set(secret.arn, { ...secret, versions });
      }
      return { ARN: secret.arn, Name: secret.name, VersionId: id, VersionStages: ['AWSCURRENT'] };
    },
  };
  return startJsonServer(operations, log);
};

const notFound = (what: string): ServiceError =>
  new ServiceError(
    'ResourceNotFoundException',
    `Secrets Manager can't find the specified ${what}.`,
  );
