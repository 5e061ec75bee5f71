import { IdempotencyConfig, IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { IdempotencyRecord } from '@aws-lambda-powertools/idempotency/persistence';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { attributes } from '../store/attributes.ts';
import { documents, dynamodb, table } from '../store/client.ts';
import { reused } from './claims.ts';
import { claimKey, type Intent, keyLifetimeS } from './intent.ts';
import { restoredResponse } from './saved-response.ts';

export const idempotencyConfig = new IdempotencyConfig({
  expiresAfterSeconds: keyLifetimeS,
  hashFunction: 'sha256',
  responseHook: restoredResponse,
});

/**
 * Powertools' record of an intent, in the place of its claim: in progress while the request runs,
 * and completed by the transaction that makes the effect, which writes the claim over it.
 *
 * The key is overridden because Powertools keeps all records of a table with a sort key in one
 * partition, which takes 1,000 writes per second for all callers together (DynamoDB Developer
 * Guide, "Partitions and data distribution"). Here each record has a partition of its own.
 */
export class IdempotencyRecords extends DynamoDBPersistenceLayer {
  readonly #intent: Intent;

  constructor(intent: Intent) {
    super({
      tableName: table(),
      keyAttr: attributes.partitionKey,
      expiryAttr: attributes.timeToLive,
      statusAttr: 'status',
      dataAttr: 'result',
      validationKeyAttr: 'fingerprint',
      awsSdkV3Client: dynamodb,
    });
    this.#intent = intent;
  }

  protected override getKey() {
    return marshall(claimKey(this.#intent));
  }

  /** Without it, Powertools stores no `payloadHash`. */
  override isPayloadValidationEnabled() {
    return true;
  }

  /** Powertools' own hash is made by a private method, and must not be stored: it may change. */
  protected override _putRecord(record: IdempotencyRecord) {
    record.payloadHash = this.#intent.fingerprint;
    return super._putRecord(record);
  }

  /** Compares the fingerprint with that of a record that is completed or in progress. */
  override processExistingRecord(record: IdempotencyRecord) {
    if (record.payloadHash !== this.#intent.fingerprint) throw reused();
    return record;
  }

  /** The transaction has completed the record. */
  protected override async _updateRecord() {}

  /** Deletes the record unless it has been completed, or is being completed, by any request. */
  protected override async _deleteRecord() {
    await documents.send(
      new DeleteCommand({
        TableName: table(),
        Key: claimKey(this.#intent),
        ConditionExpression: '#status = :inProgress',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: { ':inProgress': IdempotencyRecordStatus.INPROGRESS },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
  }
}
