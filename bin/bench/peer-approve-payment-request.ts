import { randomUUID } from 'node:crypto';
import { GetCommand, QueryCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { documents, idempotent, TableName } from './peer.ts';

/** `approve-payment-request` with Powertools' middleware: a retry after a crash approves again. */
export const handler = idempotent(async ({ pathParameters, body, requestContext }) => {
  const { approver, reason } = JSON.parse(body ?? '{}');
  const pk = `PAYMENT_REQUEST#${pathParameters?.id}`;
  const [{ Items: [request = {}, ...approvals] = [] }, { Item: manager }] = await Promise.all([
    documents.send(
      new QueryCommand({
        TableName,
        ConsistentRead: true,
        ScanIndexForward: false,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': pk },
      }),
    ),
    documents.send(
      new GetCommand({
        TableName,
        Key: { pk: `ACCOUNT#${requestContext.authorizer?.account}`, sk: `MANAGER#${approver}` },
        ConsistentRead: true,
      }),
    ),
  ]);
  if (!manager) throw new Error(`${approver} is not a manager.`);
  const approval = {
    id: `apprdec_${randomUUID()}`,
    approver,
    reason,
    created: new Date().toISOString(),
  };
  await documents.send(
    new TransactWriteCommand({
      TransactItems: [
        {
          Update: {
            TableName,
            Key: { pk, sk: 'PAYMENT_REQUEST' },
            UpdateExpression: 'SET #status = :approved',
            ConditionExpression: 'attribute_exists(pk)',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: { ':approved': 'approved' },
          },
        },
        { Put: { TableName, Item: { ...approval, pk, sk: `APPROVAL#${approval.id}` } } },
      ],
    }),
  );
  const { pk: _, sk: __, type: ___, workspace: ____, author: _____, ...members } = request;
  const ids = [...approvals.map(({ id }) => id).reverse(), approval.id];
  return { ...members, status: 'approved', approvals: ids };
});
