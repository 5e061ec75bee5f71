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
  ListQueuesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { encodeTime } from 'ulid';
import { type Event, eventSource } from '../../functions/domain/events.ts';

/**
 * The name of a run's event tap, with the stage that the bus names: no stage has an underscore, so
 * that a policy for `smoke-eu_*` does not reach the stage `eu-prod`.
 */
export const tapOf = (bus: string, run: string): string =>
  `smoke-${bus.split('/WorkforcePayments-').at(-1)}_${run}`;

/**
 * Opens a tap: a rule on a bus and a queue that receives its events, until `close` removes both.
 * The environment says where AWS is.
 *
 * @param bus its ARN: arn:aws:events:<region>:<account>:event-bus/<name>
 * @param name of the rule and of the queue; no two taps may share it
 * @param workspace whose events alone are received, unless those of all are
 * @returns with `receive`: the events that have arrived, none after two seconds without one
 */
export const openEventTap = async (bus: string, name: string, workspace?: string) => {
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
      EventPattern: JSON.stringify({
        source: [eventSource],
        ...(workspace && { detail: { workspace: [workspace] } }),
      }),
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

const hourMs = 3_600_000;

/** Removes the taps of runs that began more than an hour ago and were killed. */
export const closeOldTaps = async (bus: string): Promise<void> => {
  const { QueueUrls = [] } = await new SQSClient().send(
    new ListQueuesCommand({ QueueNamePrefix: tapOf(bus, '') }),
  );
  // The id of a run is a ULID: the order of their names is the order of their times.
  const hourAgo = tapOf(bus, encodeTime(Date.now() - hourMs));
  const names = QueueUrls.map((url) => url.slice(url.lastIndexOf('/') + 1));
  for (const name of names) if (name < hourAgo) await closeEventTap(bus, name);
};

/** Removes the rule and the queue of a tap, if they exist: another run may remove them too. */
const closeEventTap = async (bus: string, name: string): Promise<void> => {
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
