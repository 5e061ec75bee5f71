import { createHash } from 'node:crypto';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { type Claim, claimLifetimeS } from '../domain/claim.ts';
import { table } from './client.ts';
import { keys } from './keys.ts';
import { read } from './read.ts';

/** The claim of an intent together with the answer to give when the intent is expressed again. */
export interface ClaimedResult {
  readonly claim: Claim;
  readonly result: unknown;
}

/** The intent's effect was committed before; `result` is what its first caller was to be told. */
export class AlreadyDone extends Error {
  override readonly name = 'AlreadyDone';
  readonly fingerprint: string;
  readonly result: unknown;

  constructor(item: Record<string, AttributeValue>) {
    super('This claim has been taken.');
    const { fingerprint, result } = unmarshall(item);
    this.fingerprint = fingerprint;
    this.result = JSON.parse(result);
  }
}

/** What an intent was answered, while it is remembered; undefined when it was not expressed before. */
export const findClaimed = async (
  claim: Claim,
): Promise<{ fingerprint: string; result: unknown } | undefined> => {
  const item = await read(keys.claim(claim));
  if (!item || item.expires < Date.now() / 1000) return undefined;
  return { fingerprint: item.fingerprint, result: JSON.parse(item.result) };
};

/** The names by which Powertools finds in a claim what it needs of a record. */
export const recordAttributes = {
  statusAttr: 'status',
  dataAttr: 'result',
  validationKeyAttr: 'validation',
} as const;

/**
 * The write that makes a transaction happen once for its intent. It fails while a claim stands;
 * an expired one no longer does, although TTL may take days to delete it (DynamoDB Developer Guide,
 * "Time to Live"), nor does Powertools' record of a request that is in progress, whoever made it.
 */
export const claimWrite = ({ claim, result }: ClaimedResult) => {
  const nowS = Math.floor(Date.now() / 1000);
  return {
    Put: {
      TableName: table(),
      Item: {
        ...keys.claim(claim),
        ...claim,
        type: 'CLAIM',
        status: 'COMPLETED',
        validation: validationOf(claim),
        // As text: DynamoDB does not keep the order of a map's members, and a replay is the same bytes.
        result: JSON.stringify(result),
        expires: nowS + claimLifetimeS,
      },
      ConditionExpression: 'attribute_not_exists(pk) OR #status = :inProgress OR expires < :now',
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: { ':inProgress': 'INPROGRESS', ':now': nowS },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    },
  };
};

/** The fingerprint as Powertools hashes it, to tell another request with the same key. */
const validationOf = ({ fingerprint }: Claim) =>
  createHash('sha256').update(JSON.stringify(fingerprint)).digest('base64');
