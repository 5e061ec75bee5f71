import { randomUUID } from 'node:crypto';
import { marshall } from '@aws-sdk/util-dynamodb';
import type {
  APIGatewayProxyEvent,
  APIGatewayTokenAuthorizerEvent,
  DynamoDBStreamEvent,
  SQSEvent,
} from 'aws-lambda';
import type { OperationRequest } from '../../functions/contract/operation.ts';
import { type OutboxQueue, outbox } from '../../functions/domain/outbox.ts';
import { type Route, scopes } from '../../functions/domain/routes.ts';
import type { Tenant } from './tenants.ts';
import { author } from './test-author.ts';

/** What a test says of a request; the rest of the event is as API Gateway makes it. */
export interface Sent extends OperationRequest {
  readonly tenant: Pick<Tenant, 'workspace' | 'account'>;
  readonly key?: string;
}

/** The event of a request that the authorizer has let through. */
export const requestTo = (
  route: Route,
  { tenant, id, query, headers: more, body, key }: Sent,
  fields: Partial<APIGatewayProxyEvent> = {},
): Partial<APIGatewayProxyEvent> => {
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
    ...more,
  };
  return {
    resource: route.path,
    path: route.path.replace('{id}', id ?? ''),
    httpMethod: route.method,
    headers,
    multiValueHeaders: listed(headers),
    queryStringParameters: null,
    multiValueQueryStringParameters: query === undefined ? null : listed(query),
    pathParameters: id === undefined ? null : { id },
    stageVariables: null,
    requestContext: {
      requestId: randomUUID(),
      authorizer: {
        ...tenant,
        scopes: scopes.join(' '),
        token_id: `tok_${'0'.repeat(26)}`,
        principalId: tenant.workspace,
      },
    } as unknown as APIGatewayProxyEvent['requestContext'],
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
    ...fields,
  };
};

const listed = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));

export const methodArn = (route: Route) =>
  `arn:aws:execute-api:us-east-1:123456789012:abcdef/dev/${route.method}${route.path}`;

export const authorization = (route: Route, header: string): APIGatewayTokenAuthorizerEvent => ({
  type: 'TOKEN',
  methodArn: methodArn(route),
  authorizationToken: header,
});

/** The message that is sent for an item of a test. */
export const outboxMessage = (queue: OutboxQueue, item: object): string =>
  JSON.stringify(outbox[queue].message({ author, ...item }));

/** A batch of messages, each a body as text, with the id `message-<index>`. */
export const messages = (...bodies: string[]): SQSEvent => ({
  Records: bodies.map((body, index) => ({
    messageId: `message-${index}`,
    receiptHandle: randomUUID(),
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: '1790000000000',
      SenderId: 'AIDA',
      ApproximateFirstReceiveTimestamp: '1790000000000',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:queue',
    awsRegion: 'us-east-1',
  })),
});

/** New items as the table's stream shows them, with the sequence numbers 1, 2 and so on. */
export const inserted = (...items: Record<string, unknown>[]): DynamoDBStreamEvent =>
  changed('INSERT', items);

/** A batch of the table's stream in which items were created or changed. */
export const changed = (
  eventName: 'INSERT' | 'MODIFY',
  items: readonly Record<string, unknown>[],
): DynamoDBStreamEvent => ({
  Records: items.map((item, index) => ({
    eventID: randomUUID(),
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'us-east-1',
    eventSourceARN: 'arn:aws:dynamodb:us-east-1:123456789012:table/payments/stream/1',
    dynamodb: {
      ApproximateCreationDateTime: 1_790_000_000,
      SequenceNumber: String(index + 1),
      SizeBytes: 100,
      StreamViewType: 'NEW_IMAGE',
      // The SDK's and the runtime's types of an attribute value are the same but for its bytes.
      NewImage: marshall(item) as Record<string, never>,
    },
  })),
});
