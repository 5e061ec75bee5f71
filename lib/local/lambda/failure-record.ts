import { randomUUID } from 'node:crypto';
import { functionArn } from '../aws-account.ts';
import type { StreamRecord } from './stream-record.ts';

/** Why records are given up: no other limit is set. */
export const givenUpFor = 'RecordAgeExceeded';

/** Records of a shard with which a function will not be invoked again. */
export interface GivenUp {
  readonly functionName: string;
  readonly streamArn: string;
  readonly shardId: string;
  /** At least one. */
  readonly records: readonly StreamRecord[];
  /** How often the function was invoked with them; 0 when they were too old from the beginning. */
  readonly invocations: number;
  /** Whether its last invocation threw, or else reported failures. */
  readonly threw: boolean;
}

/**
 * What Lambda sends to an on-failure destination: where in the stream the records are, not what
 * they hold ("Retain discarded records for a DynamoDB event source" in the Lambda developer guide).
 */
export const failureRecord = (givenUp: GivenUp): object => {
  const { functionName, streamArn, shardId, records, invocations, threw } = givenUp;
  const [first, last] = [records[0], records.at(-1)];
  return {
    requestContext: {
      requestId: randomUUID(),
      functionArn: functionArn(functionName),
      condition: givenUpFor,
      approximateInvokeCount: invocations,
    },
    ...(invocations > 0 && {
      responseContext: {
        statusCode: 200,
        executedVersion: '$LATEST',
        ...(threw && { functionError: 'Unhandled' }),
      },
    }),
    version: '1.0',
    timestamp: new Date().toISOString(),
    DDBStreamBatchInfo: {
      shardId,
      startSequenceNumber: first?.dynamodb.SequenceNumber,
      endSequenceNumber: last?.dynamodb.SequenceNumber,
      approximateArrivalOfFirstRecord: arrival(first),
      approximateArrivalOfLastRecord: arrival(last),
      batchSize: records.length,
      streamArn,
    },
  };
};

/** In whole seconds. */
const arrival = (record: StreamRecord | undefined): string => {
  const seconds = record?.dynamodb.ApproximateCreationDateTime ?? 0;
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
};
