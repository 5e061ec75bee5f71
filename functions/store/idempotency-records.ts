import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { claimLifetimeS } from '../domain/claim.ts';
import { attributes } from './attributes.ts';
import { dynamodb, table } from './client.ts';
import { keys } from './keys.ts';

/**
 * Powertools' records in our table. As they come with a sort key, they would share one partition
 * and with it 1,000 writes per second for everybody; here each has a partition of its own.
 */
class IdempotencyRecords extends DynamoDBPersistenceLayer {
  protected override getKey(idempotencyKey: string) {
    return marshall(keys.idempotency(idempotencyKey));
  }
}

export const idempotencyRecords = () =>
  new IdempotencyRecords({
    tableName: table(),
    keyAttr: attributes.partitionKey,
    sortKeyAttr: attributes.sortKey,
    expiryAttr: attributes.timeToLive,
    awsSdkV3Client: dynamodb,
  });

/** The payload that Powertools hashes is a Claim: its first three members are the key. */
export const idempotencyConfig = () =>
  new IdempotencyConfig({
    eventKeyJmesPath: '[workspace, operation, key]',
    payloadValidationJmesPath: 'fingerprint',
    expiresAfterSeconds: claimLifetimeS,
    hashFunction: 'sha256',
    throwOnNoIdempotencyKey: true,
  });
