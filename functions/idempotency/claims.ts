import { IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency';
import { Problem } from '../domain/problem.ts';
import { table } from '../store/client.ts';
import type { Guard } from '../store/commit.ts';
import { type Intent, keyLifetimeS } from './intent.ts';
import { records } from './records.ts';

/** The intent's effect was committed before, with this answer. */
export class AlreadyDone extends Error {
  override readonly name = 'AlreadyDone';
  readonly result: unknown;

  constructor(result: unknown) {
    super('This claim has been taken.');
    this.result = result;
  }
}

/** The key is that of another request. */
export const reused = () =>
  new Problem(
    'idempotency_key_reused',
    'This key belongs to a request with another path or body. Use a new key for a new request.',
  );

/**
 * The claim on an intent, with the answer for its replays: the guard of the transaction that makes
 * the effect. It is refused with AlreadyDone if there is a claim already, or with
 * `idempotency_key_reused` if that is another request's. An expired claim does not count, although
 * TTL may take days to delete it (DynamoDB Developer Guide, "Time to Live"); nor does Powertools'
 * record of a request in progress, whichever request began it.
 */
export const claim = (intent: Intent, result: unknown): Guard => {
  const nowS = Math.floor(Date.now() / 1000);
  return {
    write: {
      Put: {
        TableName: table(),
        Item: {
          ...intent,
          type: 'CLAIM',
          status: IdempotencyRecordStatus.COMPLETED,
          validation: records().validationOf(intent),
          // As text: DynamoDB does not keep the order of a map's members, and a replay is the same
          // bytes.
          result: JSON.stringify(result),
          expires: nowS + keyLifetimeS,
        },
        ConditionExpression: 'attribute_not_exists(pk) OR #status = :inProgress OR expires < :now',
        ExpressionAttributeNames: { '#status': 'status' },
        ExpressionAttributeValues: {
          ':inProgress': IdempotencyRecordStatus.INPROGRESS,
          ':now': nowS,
        },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    refusal: ({ fingerprint, result }) =>
      fingerprint === intent.fingerprint ? new AlreadyDone(JSON.parse(String(result))) : reused(),
  };
};
