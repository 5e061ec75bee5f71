import { type Operations, startJsonServer } from '../server/json-server.ts';
import type { Listener } from '../server/listen.ts';
import { ServiceError } from '../server/service-error.ts';
import type { Secret, SecretStore } from './secret-store.ts';

// The requests, in the wire form of the AWS JSON 1.1 protocol.
interface GetRequest {
  readonly SecretId?: string;
  readonly VersionStage?: string;
  readonly VersionId?: string;
}

interface PutRequest {
  readonly SecretId?: string;
  readonly SecretString?: string;
  readonly ClientRequestToken?: string;
  readonly VersionStages?: string[];
}

/** A Secrets Manager that gives and changes the values of the template's secrets. */
export const startSecretsManagerServer = (
  store: SecretStore,
  log?: (line: string) => void,
): Promise<Listener> => {
  const operations: Operations = {
    'secretsmanager.GetSecretValue': (request: GetRequest) => {
      const secret = find(store, request);
      const [stage, { id, value, createdMs }] = findVersion(secret, request);
      return {
        ARN: secret.arn,
        Name: secret.name,
        VersionId: id,
        VersionStages: [stage],
        SecretString: value,
        CreatedDate: createdMs / 1000,
      };
    },

    'secretsmanager.PutSecretValue': (request: PutRequest) => {
      const secret = find(store, request);
      const { SecretString, ClientRequestToken, VersionStages = ['AWSCURRENT'] } = request;
      if (SecretString === undefined) {
        throw new ServiceError(
          'InvalidRequestException',
          'The local run keeps a SecretString only.',
        );
      }
      if (VersionStages.join() !== 'AWSCURRENT') {
        throw new ServiceError(
          'InvalidRequestException',
          'In the local run a new value is AWSCURRENT.',
        );
      }
      const { id } = putOnce(store, secret, SecretString, ClientRequestToken);
      return { ARN: secret.arn, Name: secret.name, VersionId: id, VersionStages };
    },
  };
  return startJsonServer(operations, { log });
};

const find = (store: SecretStore, { SecretId = '' }: { SecretId?: string }): Secret => {
  const secret = store.find(SecretId);
  if (secret !== undefined) return secret;
  throw notFound('secret');
};

const findVersion = ({ versions }: Secret, { VersionId, VersionStage }: GetRequest) => {
  const stage = VersionStage ?? (VersionId === undefined ? 'AWSCURRENT' : undefined);
  const found = Object.entries(versions).find(
    ([label, { id }]) => label === (stage ?? label) && id === (VersionId ?? id),
  );
  if (found !== undefined) return found;
  throw notFound(
    `secret value for ${stage === undefined ? `VersionId: ${VersionId}` : `staging label: ${stage}`}`,
  );
};

/** The SDKs send a token, which becomes the version's id: a repeated request changes nothing. */
const putOnce = (store: SecretStore, secret: Secret, value: string, token: string | undefined) => {
  const known = Object.values(secret.versions).find(({ id }) => id === token);
  if (known === undefined) return store.put(secret.arn, value, token);
  if (known.value === value) return known;
  throw new ServiceError(
    'ResourceExistsException',
    'A version with this ClientRequestToken exists, and has another value.',
  );
};

const notFound = (what: string): ServiceError =>
  new ServiceError(
    'ResourceNotFoundException',
    `Secrets Manager can't find the specified ${what}.`,
  );
