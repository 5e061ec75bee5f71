import type { _Record } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { region } from '../aws-account.ts';

/** A record as Lambda's event carries it: attribute values in wire form, binary ones in base64. */
export type StreamRecord = DynamoDBRecord & {
  readonly dynamodb: { readonly SequenceNumber: string };
};

/** Turns a record of the Streams API into one of a Lambda event. */
export const toStreamRecord = (record: _Record, streamArn: string): StreamRecord => {
  const createdAt = record.dynamodb?.ApproximateCreationDateTime;
  const event = {
    ...record,
    // DynamoDB Local sends 'ddblocal', which does not occur on AWS.
    awsRegion: region,
    dynamodb: {
      ...record.dynamodb,
      ApproximateCreationDateTime: createdAt && createdAt.getTime() / 1000,
    },
    eventSourceARN: streamArn,
  };
  // The SDK decodes binary values, at any depth, and leaves all other values as they are.
  return JSON.parse(
    JSON.stringify(event, (_key, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ),
  );
};
