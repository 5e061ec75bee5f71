import { readFileSync } from 'node:fs';
import { EventBridgeClient, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';

// The file of the local run.
const { endpoints, eventBus } = JSON.parse(readFileSync('.local/stack.json', 'utf8'));
const [, , , region, account] = eventBus.split(':');
// Whatever the shell says of AWS.
const local = {
  region,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  useFipsEndpoint: false,
  useDualstackEndpoint: false,
};
const sqs = new SQSClient({ ...local, endpoint: endpoints.sqs });
const bus = new EventBridgeClient({ ...local, endpoint: endpoints.eventbridge });

const name = 'my-events';
const EventBusName = eventBus.split('/')[1];
const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
const EventPattern = JSON.stringify({ source: ['workforce-payments'] });
await bus.send(new PutRuleCommand({ EventBusName, Name: name, EventPattern }));
const Targets = [{ Id: name, Arn: `arn:aws:sqs:${region}:${account}:${name}` }];
await bus.send(new PutTargetsCommand({ EventBusName, Rule: name, Targets }));
console.log('Waiting for events.');

for (;;) {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }),
  );
  for (const { Body = '', ReceiptHandle } of Messages) {
    const { detail } = JSON.parse(Body);
    console.log(detail.type, detail.data);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}
