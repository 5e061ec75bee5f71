import { randomUUID } from 'node:crypto';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { documents, idempotent, TableName } from './peer.ts';

/** `resend-offer` with Powertools' middleware: after a crash its retry sends another mail. */
export const handler = idempotent(async ({ pathParameters }) => {
  const Key = { pk: `OFFER#${pathParameters?.id}`, sk: 'OFFER' };
  const { Item: offer = {} } = await documents.send(
    new GetCommand({ TableName, Key, ConsistentRead: true }),
  );
  const created = new Date().toISOString();
  const attempt = { id: `dlv_${randomUUID()}`, status: 'queued', created };
  await documents.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'ADD attempts :one SET updated = :now',
            ConditionExpression: '#status = :sent',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':one': 1, ':now': created, ':sent': 'sent' },
          },
        },
        {
          Put: {
            TableName,
            Item: { ...attempt, ...Key, sk: `DELIVERY#${attempt.id}`, workspace: offer.workspace },
          },
        },
      ],
    }),
  );
  const { id, status, recipient_email, attempts } = offer;
  const delivery = { attempts: attempts + 1, last_attempt: attempt };
  return { id, status, recipient_email, delivery, created: offer.created, updated: created };
});
