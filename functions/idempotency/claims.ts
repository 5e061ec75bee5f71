import { IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency';
import { table } from '../store/client.ts';
import type { Guard } from '../store/commit.ts';
import { type Intent, keyLifetimeS } from './intent.ts';
import { records } from './records.ts';

/** The saved answer of an intent, and the fingerprint of the request that it answers. */
interface Claimed {
  readonly fingerprint: string;
  readonly result: unknown;
}

/** The intent's effect was committed before. */
export class AlreadyDone extends Error implements Claimed {
  override readonly name = 'AlreadyDone';
  readonly fingerprint: string;
  readonly result: unknown;

  constructor({ fingerprint, result }: Claimed) {
    super('This claim has been taken.');
    this.fingerprint = fingerprint;
    this.result = result;
  }
}

/**
 * The claim on an intent, with the answer for its replays: the guard of the transaction that makes
 * the effect. It is refused with AlreadyDone if there is a claim already. An expired claim does not
 * count, although TTL may take days to delete it (DynamoDB Developer Guide, "Time to Live"); nor
 * does Powertools' record of a request in progress, whichever request began it.
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
    refusal: (item) => new AlreadyDone(claimedIn(item)),
  };
};

const claimedIn = ({ fingerprint, result }: Record<string, unknown>): Claimed => ({
  fingerprint: String(fingerprint),
  result: JSON.parse(String(result)),
});
