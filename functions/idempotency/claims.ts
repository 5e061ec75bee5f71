import { IdempotencyRecordStatus } from '@aws-lambda-powertools/idempotency';
import { Problem } from '../domain/problem.ts';
import { table } from '../store/client.ts';
import { type Intent, keyLifetimeS } from './intent.ts';
import { restoredResponse, savedResponse } from './saved-response.ts';

export const reused = () =>
  new Problem(
    'idempotency_key_reused',
    'This key belongs to a request with another path, body or If-Match. Use a new key for a new request.',
  );

/**
 * The response that the claim of an intent has for its replays.
 *
 * @throws Problem `idempotency_key_reused` if the claim is another request's
 */
export const responseIn = (
  { fingerprint, result }: Readonly<Record<string, unknown>>,
  intent: Intent,
): object => {
  if (fingerprint !== intent.fingerprint) throw reused();
  return restoredResponse(result);
};

/**
 * The claim on an intent, with the response for its replays: the guard of the transaction that
 * makes the effect. It is refused if there is a claim already. An expired claim does not count,
 * although TTL may take days to delete it (DynamoDB Developer Guide, "Time to Live"); nor does
 * Powertools' record of a request in progress, whichever request began it.
 *
 * @throws Problem `response_too_large`
 */
export const claim = (intent: Intent, response: object) => {
  const nowS = Math.floor(Date.now() / 1000);
  return {
    Put: {
      TableName: table(),
      Item: {
        ...intent,
        type: 'CLAIM',
        status: IdempotencyRecordStatus.COMPLETED,
        result: savedResponse(response),
        expires: nowS + keyLifetimeS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR #status = :inProgress OR expires < :now',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':inProgress': IdempotencyRecordStatus.INPROGRESS,
        ':now': nowS,
      },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    },
  };
};
