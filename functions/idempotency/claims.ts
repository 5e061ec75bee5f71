import { IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency';
import { Problem } from '../domain/problem.ts';
import { table } from '../store/client.ts';
import type { Guard } from '../store/commit.ts';
import { records } from './claim-in-progress.ts';
import { type Intent, keyLifetimeS } from './intent.ts';
import { restoredResponse, savedResponse } from './saved-response.ts';

/** The intent's effect was committed before, with this response. */
export class AlreadyDone extends Error {
  override readonly name = 'AlreadyDone';
  readonly response: object;

  constructor(response: object) {
    super('This claim has been taken.');
    this.response = response;
  }
}

/** The key is that of another request. */
export const reused = () =>
  new Problem(
    'idempotency_key_reused',
    'This key belongs to a request with another path, body or If-Match. Use a new key for a new request.',
  );

/** What a claim that there is already means for an intent. */
export const earlierOf = (
  intent: Intent,
  { fingerprint, result }: Readonly<Record<string, unknown>>,
): AlreadyDone | Problem =>
  fingerprint === intent.fingerprint ? new AlreadyDone(restoredResponse(result)) : reused();

/**
 * The claim on an intent, with the response for its replays: the guard of the transaction that
 * makes the effect. It is refused with AlreadyDone if there is a claim already, or with
 * `idempotency_key_reused` if that is another request's. An expired claim does not count, although
 * TTL may take days to delete it (DynamoDB Developer Guide, "Time to Live"); nor does Powertools'
 * record of a request in progress, whichever request began it.
 *
 * @throws Problem `response_too_large`
 */
export const claim = (intent: Intent, response: object): Guard => {
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
          result: savedResponse(response),
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
    refusal: (item) => earlierOf(intent, item),
  };
};
