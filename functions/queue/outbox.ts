import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { DeliverOffer, ProvisionSandbox } from '../domain/messages.ts';
import { environment } from '../runtime/environment.ts';
import type { OutgoingMessage } from './send.ts';

/** The message that a new item asks for, named by its place in the stream. */
export const outboxMessage = ({ dynamodb }: DynamoDBRecord): OutgoingMessage =>
  messageFor(
    unmarshall(dynamodb?.NewImage as Parameters<typeof unmarshall>[0]),
    dynamodb?.SequenceNumber ?? '',
  );

/** The message that an item asks for, by the name that its sender gives it. */
export const messageFor = (item: ReturnType<typeof unmarshall>, id: string): OutgoingMessage => {
  switch (item.type) {
    case 'SANDBOX': {
      const body: ProvisionSandbox = { workspace: item.workspace, sandbox: item.id };
      return { id, queueUrl: environment('PROVISIONING_QUEUE_URL'), body };
    }
    case 'DELIVERY': {
      const { workspace, offer, id: delivery } = item;
      const body: DeliverOffer = { workspace, offer, delivery };
      return { id, queueUrl: environment('DELIVERY_QUEUE_URL'), body };
    }
    default:
      throw new Error(`An item of type ${item.type} asks for no message.`);
  }
};
