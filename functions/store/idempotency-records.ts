import { IdempotencyConfig } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { type Claim, claimLifetimeS } from '../domain/claim.ts';
import { attributes } from './attributes.ts';
import { recordAttributes } from './claims.ts';
import { documents, dynamodb, table } from './client.ts';
import { keys } from './keys.ts';

/** A transaction is about to complete the record. */
export class RecordHeld extends Error {
  override readonly name = 'RecordHeld';
}

/**
 * Powertools' records, each in the place of its intent's claim: in progress while the request runs, and
 * completed by the transaction that makes the effect, in which the claim is written over it.
 */
class IdempotencyRecords extends DynamoDBPersistenceLayer {
  /** The payload is the claim itself. */
  protected override getHashedIdempotencyKey(claim: unknown) {
    return JSON.stringify(claim);
  }

  protected override getKey(claim: string) {
    return marshall(keyOf(claim));
  }

  protected override async _putRecord(record: IdempotencyRecord) {
    try {
      await super._putRecord(record);
    } catch (error) {
      if (!(error instanceof TransactionConflictException)) throw error;
      throw new RecordHeld('A transaction holds the record.', { cause: error });
    }
  }

  /** Nothing is left to do: without an error, the claim stands. */
  protected override async _updateRecord() {}

  /** What has been completed, or is about to be, by this request or another one, stays. */
  protected override async _deleteRecord({ idempotencyKey }: IdempotencyRecord) {
    try {
      await documents.send(
        new DeleteCommand({
          TableName: table(),
          Key: keyOf(idempotencyKey),
          ConditionExpression: '#status = :inProgress',
          ExpressionAttributeNames: { '#status': 'status' },
          ExpressionAttributeValues: { ':inProgress': 'INPROGRESS' },
        }),
      );
    } catch (error) {
      const stays =
        error instanceof ConditionalCheckFailedException ||
        error instanceof TransactionConflictException;
      if (!stays) throw error;
    }
  }
}

const keyOf = (claim: string) => keys.claim(JSON.parse(claim) as Claim);

export const idempotencyRecords = new IdempotencyRecords({
  tableName: table(),
  keyAttr: attributes.partitionKey,
  sortKeyAttr: attributes.sortKey,
  expiryAttr: attributes.timeToLive,
  ...recordAttributes,
  awsSdkV3Client: dynamodb,
});

/** The payload that Powertools is given is a Claim. */
export const idempotencyConfig = new IdempotencyConfig({
  payloadValidationJmesPath: 'fingerprint',
  expiresAfterSeconds: claimLifetimeS,
  hashFunction: 'sha256',
});
