import { setTimeout as sleep } from 'node:timers/promises';
import { paginateListQueues, type SendMessageRequest, SQS } from '@aws-sdk/client-sqs';
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
let sqs: SQS;
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
  sqs = clientOf(SQS, server.url);
  QueueUrl = `${server.url}/000000000000/offers`;
});

const send = (MessageBody: string) => sqs.sendMessage({ QueueUrl, MessageBody });

const receive = async (WaitTimeSeconds = 0) => {
  const input = { QueueUrl, WaitTimeSeconds, MaxNumberOfMessages: 10 };
  const { Messages = [] } = await sqs.receiveMessage(input);
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
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: again?.ReceiptHandle });
  nowMs += 61 * secondMs;
  expect(await receive()).toEqual([]);
});

test('a message is not deleted by the receipt handle of an older receive', async () => {
  await send('kept');
  const [older] = await receive();
  nowMs += 61 * secondMs;
  const [newer] = await receive();
  expect(newer?.ReceiptHandle).not.toBe(older?.ReceiptHandle);
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: older?.ReceiptHandle });
  expect(service.attributes('offers')).toMatchObject({ visible: 0, inFlight: 1 });
});

test('a message moves to the dead-letter queue instead of being received once too often', async () => {
  const { MessageId: messageId } = await send('poison');
  await send('good');
  await receive();
  nowMs += 61 * secondMs;
  const [, good] = await receive();
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: good?.ReceiptHandle });
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
    sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout });
  await change(first?.ReceiptHandle, 0);
  const [second] = await receive();
  expect(second?.Body).toBe('moved');
  await change(second?.ReceiptHandle, 600);
  nowMs += 599 * secondMs;
  expect(await receive()).toEqual([]);
  await expect(change(first?.ReceiptHandle, 0)).rejects.toThrow('not in flight');
  nowMs += secondMs;
  await expect(change(second?.ReceiptHandle, 600)).rejects.toThrow('not in flight');
  await expect(change('handle', 0)).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid' });
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
  const polled = sqs.receiveMessage(
    { QueueUrl, WaitTimeSeconds: 20 },
    {
      abortSignal: hangUp.signal,
    },
  );
  // A request of its own round trip: the poll waits by then, and after it the hang-up is known.
  await sqs.getQueueUrl({ QueueName: 'offers' });
  hangUp.abort();
  await expect(polled).rejects.toThrow('abort');
  await sqs.getQueueUrl({ QueueName: 'offers' });
  await send('for somebody else');
  // Long enough for a poll that goes on to look again and take the message.
  await sleep(150);
  expect(await receive()).toHaveLength(1);
});

const mebibyte = 1_048_576;
const string = (StringValue: string) => ({ DataType: 'String', StringValue });
const eleven = Array.from({ length: 11 }, (_, index) => [`name-${index}`, string('x')]);

test.each<[string, string, Partial<SendMessageRequest>]>([
  ['an empty body', 'MissingParameter', { MessageBody: '' }],
  ['more than 1 MiB', 'InvalidParameterValue', { MessageBody: `x${'é'.repeat(mebibyte / 2)}` }],
  ['1 MiB and an attribute', 'InvalidParameterValue', { MessageBody: 'x'.repeat(mebibyte - 7) }],
  ['a control character', 'InvalidMessageContents', { MessageBody: 'a\u0000b' }],
  ['a lone surrogate', 'InvalidMessageContents', { MessageBody: 'a\ud800b' }],
  ['a noncharacter', 'InvalidMessageContents', { MessageBody: 'a\uffffb' }],
  ['a longer delay', 'InvalidParameterValue', { DelaySeconds: 901 }],
  ['11 attributes', 'InvalidParameterValue', { MessageAttributes: Object.fromEntries(eleven) }],
  ['an empty attribute', 'InvalidParameterValue', { MessageAttributes: { a: string('') } }],
  ['a group of two words', 'InvalidParameterValue', { MessageGroupId: 'a b' }],
  ['an id against repetition', 'InvalidParameterValue', { MessageDeduplicationId: '7' }],
  ['a name of AWS', 'InvalidParameterValue', { MessageAttributes: { 'AWS.a': string('x') } }],
  ['a name as a URL', 'InvalidAddress', { QueueUrl: 'offers' }],
  ['no such queue', 'AWS.SimpleQueueService.NonExistentQueue', { QueueUrl: 'other' }],
])('a message with %s is refused with %s', async (_, Code, { QueueUrl: name, ...sent }) => {
  const address = name === 'other' ? QueueUrl.replace('offers', name) : (name ?? QueueUrl);
  const input = { MessageBody: 'x', MessageAttributes: { a: string('x') }, ...sent };
  const refused = sqs.sendMessage({ ...input, QueueUrl: address });
  await expect(refused).rejects.toMatchObject({ Code });
  if (name) return;
  const Entries = [
    { Id: '1', MessageBody: 'good' },
    { Id: '2', ...input },
  ];
  const batch = sqs.sendMessageBatch({ QueueUrl, Entries });
  if (input.MessageBody.length > 999) {
    await expect(batch).rejects.toMatchObject({ name: 'BatchRequestTooLong' });
  } else expect((await batch).Failed).toMatchObject([{ Id: '2', Code, SenderFault: true }]);
  expect((await receive()).map(({ Body }) => Body)).toEqual(
    input.MessageBody.length > 999 ? [] : ['good'],
  );
});

test.each<[string, string, string[]]>([
  ['of no entry', 'EmptyBatchRequest', []],
  ['of 11', 'TooManyEntriesInBatchRequest', Array.from({ length: 11 }, (_, index) => `${index}`)],
  ['with equal ids', 'BatchEntryIdsNotDistinct', ['1', '1']],
  ['with an id with a dot', 'InvalidBatchEntryId', ['1.2']],
])('a batch %s is refused with %s, as a whole', async (_, code, ids) => {
  const Entries = ids.map((Id) => ({ Id, MessageBody: 'x' }));
  await expect(sqs.sendMessageBatch({ QueueUrl, Entries })).rejects.toMatchObject({
    name: code,
    Code: `AWS.SimpleQueueService.${code}`,
  });
  expect(service.attributes('offers').visible).toBe(0);
});

test('attributes have the digests of SQS, and a receive returns those that it names', async () => {
  // Recorded from SQS: localstack/localstack, tests/aws/services/sqs/test_sqs.snapshot.json.
  const MessageAttributes = {
    Hello: string('There'),
    General: string('Kenobi'),
    'Help.Me': string('Me'),
  };
  const sent = await sqs.sendMessage({ QueueUrl, MessageBody: 'msg', MessageAttributes });
  expect(sent.MD5OfMessageAttributes).toBe('4c360f3fdafd970e05fae2f149d997f5');
  const BinaryValue = Buffer.from(
    'traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01',
  );
  const attr1 = { DataType: 'Binary', BinaryValue };
  const binary = { QueueUrl, MessageBody: 'test', MessageAttributes: { attr1 } };
  const AWSTraceHeader = string('Root=1-5759e988-bd862e3fe1be46a994272793');
  const MessageSystemAttributes = { AWSTraceHeader };
  expect(await sqs.sendMessage({ ...binary, MessageSystemAttributes })).toMatchObject({
    MD5OfMessageAttributes: '8cbe4db156db8a94db8b801b7addb984',
  });
  const { Messages } = await sqs.receiveMessage({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['Hel.*', 'attr1'],
    MessageSystemAttributeNames: ['AWSTraceHeader', 'ApproximateReceiveCount'],
  });
  expect(Messages).toMatchObject([
    { MD5OfMessageAttributes: '83fee93c1bcd8b9a5a923ffacdc636c7' },
    { Attributes: { AWSTraceHeader: AWSTraceHeader.StringValue, ApproximateReceiveCount: '1' } },
  ]);
  expect(Object.keys(Messages?.[0]?.MessageAttributes ?? {})).toEqual(['Hello', 'Help.Me']);
});

test('a message with a delay is counted as delayed, and arrives after it', async () => {
  await sqs.sendMessage({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 });
  const AttributeNames = ['ApproximateNumberOfMessagesDelayed', 'QueueArn'] as const;
  const { Attributes } = await sqs.getQueueAttributes({
    QueueUrl,
    AttributeNames: [...AttributeNames],
  });
  expect(Attributes).toEqual({
    ApproximateNumberOfMessagesDelayed: '1',
    QueueArn: 'arn:aws:sqs:us-east-1:000000000000:offers',
  });
  nowMs += 899 * secondMs;
  expect(await receive()).toEqual([]);
  nowMs += secondMs;
  expect(await receive()).toHaveLength(1);
});

test('queues are listed in pages', async () => {
  const pages = paginateListQueues({ client: sqs, pageSize: 1 }, {});
  const urls = (await Array.fromAsync(pages)).flatMap((page) => page.QueueUrls ?? []);
  expect(urls.map((url) => url.split('/').at(-1)).sort()).toEqual(service.names().sort());
});

test("dead letters are moved back by the runbook's commands", async () => {
  await send('poison');
  for (const _ of [1, 2, 3]) {
    await receive();
    nowMs += 61 * secondMs;
  }
  const { QueueUrls = [] } = await sqs.listQueues({ QueueNamePrefix: 'offers-' });
  const attributes = { QueueUrl: QueueUrls[0], AttributeNames: ['All' as const] };
  const { Attributes } = await sqs.getQueueAttributes(attributes);
  const SourceArn = Attributes?.QueueArn;
  await sqs.startMessageMoveTask({ SourceArn });
  const { Results } = await sqs.listMessageMoveTasks({ SourceArn });
  expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }]);
  expect(await receive()).toMatchObject([{ Body: 'poison' }]);
  await expect(sqs.startMessageMoveTask({ SourceArn: `${SourceArn}-2` })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
  });
});

test("a request in SQS's query protocol is told what is understood", async () => {
  const response = await fetch(QueueUrl, {
    method: 'POST',
    body: new URLSearchParams({ Action: 'SendMessage', MessageBody: '1', Version: '2012-11-05' }),
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(
    /^<ErrorResponse><Error>.*<Message>Only AWS's JSON protocol .* boto3 1\.28\.82 .*<\/Error><\/ErrorResponse>$/,
  );
});
