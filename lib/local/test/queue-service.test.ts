import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Message, QueueService, readQueues } from '../sqs/queue-service.ts';
import { startSqsServer } from '../sqs/sqs-server.ts';
import { clientOf } from './client-of.ts';
import { arnOf, resource, templateOf } from './small-assembly.ts';

const secondMs = 1000;
const startMs = Date.UTC(2026, 0, 1);
const offers = resource('AWS::SQS::Queue', {
  QueueName: 'offers',
  VisibilityTimeout: 60,
  RedrivePolicy: { deadLetterTargetArn: arnOf('Dead'), maxReceiveCount: 2 },
});

let nowMs: number;
let service: QueueService;
let deadLetters: [Message, string, string][];
let sqs: SQSClient;
let QueueUrl: string;

beforeEach(async () => {
  nowMs = startMs;
  deadLetters = [];
  service = new QueueService(
    () => nowMs,
    (...letter) => deadLetters.push(letter),
  );
  const Dead = resource('AWS::SQS::Queue', { QueueName: 'offers-dead' });
  for (const each of readQueues(templateOf({ Offers: offers, Dead }))) service.create(each);
  const server = await startSqsServer(service);
  onTestFinished(() => server.stop());
  sqs = clientOf(SQSClient, server.url);
  QueueUrl = `${server.url}/000000000000/offers`;
});

const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));

const receive = async (WaitTimeSeconds = 0) => {
  const command = new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 });
  const { Messages = [] } = await sqs.send(command);
  return Messages;
};

test('a message arrives once, comes back after its visibility timeout, and is gone when deleted', async () => {
  const { MessageId } = await send('Zoë ✓');
  const [message, ...others] = await receive();
  expect(others).toEqual([]);
  expect(message).toMatchObject({ MessageId, Body: 'Zoë ✓' });
  nowMs += 59 * secondMs;
  expect(await receive()).toEqual([]);
  nowMs += secondMs;
  const [again] = await receive();
  expect(again).toMatchObject({ MessageId, Body: 'Zoë ✓' });
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: again?.ReceiptHandle }));
  nowMs += 61 * secondMs;
  expect(await receive()).toEqual([]);
});

test('a message is not deleted by the receipt handle of an older receive', async () => {
  await send('kept');
  const [older] = await receive();
  nowMs += 61 * secondMs;
  const [newer] = await receive();
  expect(newer?.ReceiptHandle).not.toBe(older?.ReceiptHandle);
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: older?.ReceiptHandle }));
  expect(service.attributes('offers')).toEqual({ visible: 0, inFlight: 1 });
});

test('a message moves to the dead-letter queue instead of being received once too often', async () => {
  const { MessageId: messageId } = await send('poison');
  await send('good');
  await receive();
  nowMs += 61 * secondMs;
  const [, good] = await receive();
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: good?.ReceiptHandle }));
  nowMs += 61 * secondMs;
  expect(service.attributes('offers-dead').visible).toBe(0);
  expect(await receive()).toEqual([]);
  expect(deadLetters).toEqual([
    [expect.objectContaining({ messageId, receives: 2 }), 'offers', 'offers-dead'],
  ]);
  expect(await service.receive('offers-dead', { maximum: 10 })).toMatchObject([
    { messageId, body: 'poison', receives: 3, sentMs: startMs, deadLetterSource: 'offers' },
  ]);
});

test('a message can be made visible sooner and kept hidden for longer, while it is in flight', async () => {
  await send('moved');
  const [first] = await receive();
  const change = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
  await change(first?.ReceiptHandle, 0);
  const [second] = await receive();
  expect(second?.Body).toBe('moved');
  await change(second?.ReceiptHandle, 600);
  nowMs += 599 * secondMs;
  expect(await receive()).toEqual([]);
  await expect(change(first?.ReceiptHandle, 0)).rejects.toThrow('not in flight');
  nowMs += secondMs;
  await expect(change(second?.ReceiptHandle, 600)).rejects.toThrow('not in flight');
});

test('a long poll ends when a message is sent, and when the clock makes one visible', async () => {
  const polled = receive(20);
  await send('hello');
  expect(await polled).toMatchObject([{ Body: 'hello' }]);
  const hidden = receive(20);
  nowMs += 61 * secondMs;
  expect(await hidden).toMatchObject([{ Body: 'hello' }]);
});

test('a long poll takes no message for a client that hung up', async () => {
  const hangUp = new AbortController();
  const polled = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
    abortSignal: hangUp.signal,
  });
  // A request of its own round trip: the poll waits by then, and after it the hang-up is known.
  await sqs.send(new GetQueueUrlCommand({ QueueName: 'offers' }));
  hangUp.abort();
  await expect(polled).rejects.toThrow('abort');
  await sqs.send(new GetQueueUrlCommand({ QueueName: 'offers' }));
  await send('for somebody else');
  // Long enough for a poll that goes on to look again and take the message.
  await sleep(150);
  expect(await receive()).toHaveLength(1);
});
