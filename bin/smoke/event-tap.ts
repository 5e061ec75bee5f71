import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { type Event, eventSource } from '../../functions/domain/events.ts';

/**
 * Opens a tap: a rule on a bus and a queue that receives its events, until `close` removes both.
 * The environment says where AWS is.
 *
 * @param bus its ARN: arn:aws:events:<region>:<account>:event-bus/<name>
 * @param name of the rule and of the queue; no two taps may share it
 * @returns with `receive`: the events that have arrived, none after two seconds without one
 */
export const openEventTap = async (bus: string, name: string) => {
  const [sqs, eventBridge] = [new SQSClient(), new EventBridgeClient()];
  const [, partition, , region, account] = bus.split(':');
  const queueArn = `arn:${partition}:sqs:${region}:${account}:${name}`;
  const ruleArn = `${bus.replace(':event-bus/', ':rule/')}/${name}`;
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: { SqsManagedSseEnabled: 'true', Policy: queuePolicy(queueArn, ruleArn) },
    }),
  );
  const EventBusName = busName(bus);
  const Targets = [{ Id: name, Arn: queueArn }];
  await eventBridge.send(
    new PutRuleCommand({
      EventBusName,
      Name: name,
      Description: 'Of bin/wfp smoke; delete it if no run is under way',
      EventPattern: JSON.stringify({ source: [eventSource] }),
    }),
  );
  await eventBridge.send(new PutTargetsCommand({ EventBusName, Rule: name, Targets }));
  const receive = async (): Promise<Event[]> => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 2 }),
    );
    if (Messages.length === 0) return [];
    const Entries = Messages.map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
    }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
    return Messages.map(({ Body = '' }) => JSON.parse(Body).detail);
  };
  return { receive, close: () => closeEventTap(bus, name) };
};

const queuePolicy = (queueArn: string, ruleArn: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: {
      Effect: 'Allow',
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: queueArn,
      Condition: { ArnEquals: { 'aws:SourceArn': ruleArn } },
    },
  });

/** Removes the rule and the queue of a tap, if they exist: its process may have been killed. */
export const closeEventTap = async (bus: string, name: string): Promise<void> => {
  const [sqs, eventBridge] = [new SQSClient(), new EventBridgeClient()];
  const EventBusName = busName(bus);
  const remove = (removal: Promise<unknown>) =>
    removal.catch((error: Error) => {
      if (!['ResourceNotFoundException', 'QueueDoesNotExist'].includes(error.name)) throw error;
    });
  await remove(
    eventBridge.send(new RemoveTargetsCommand({ EventBusName, Rule: name, Ids: [name] })),
  );
  await remove(eventBridge.send(new DeleteRuleCommand({ EventBusName, Name: name })));
  const url = sqs.send(new GetQueueUrlCommand({ QueueName: name }));
  await remove(url.then(({ QueueUrl }) => sqs.send(new DeleteQueueCommand({ QueueUrl }))));
};

const busName = (bus: string) => bus.split('/').at(-1);
