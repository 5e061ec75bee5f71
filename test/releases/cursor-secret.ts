import {
  GetSecretValueCommand,
  ListSecretsCommand,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';

/** The secret of a local stack, which authenticates cursors. */
export const cursorSecretOf = async (secrets: SecretsManagerClient) => {
  const { SecretList = [] } = await secrets.send(new ListSecretsCommand());
  const [secret, ...others] = SecretList;
  if (!secret || others.length > 0) throw new Error('The stack does not have one secret.');
  return secrets.send(new GetSecretValueCommand({ SecretId: secret.ARN }));
};
