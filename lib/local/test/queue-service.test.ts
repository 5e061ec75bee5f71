import { setTimeout as sleep } from 'node:timers/promises';
import { type SendMessageRequest, SQS } from '@aws-sdk/client-sqs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Message, QueueService, readQueues } from '../sqs/queue-service.ts';
import { startSqsServer } from '../sqs/sqs-server.ts';
import { clientOf } from './client-of.ts';
import { arnOf, resource, templateOf } from './small-assembly.ts';

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

const pass = (seconds: number): void => {
  nowMs += seconds * 1000;
};
const remove = (ReceiptHandle: string | undefined) =>
  sqs.deleteMessage({ QueueUrl, ReceiptHandle });
const hide = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
  sqs.changeMessageVisibility({ QueueUrl, ReceiptHandle, VisibilityTimeout });

test('a message comes back after its visibility timeout, until it is deleted by its last receive', async () => {
  const { MessageId } = await send('Zoë ✓');
  const [first, ...others] = await receive();
  expect(others).toEqual([]);
  expect(first).toMatchObject({ MessageId, Body: 'Zoë ✓' });
  pass(59);
  expect(await receive()).toEqual([]);
  pass(1);
  const [again] = await receive();
  expect(again).toMatchObject({ MessageId, Body: 'Zoë ✓' });
  await remove(first?.ReceiptHandle);
  expect(service.attributes('offers')).toEqual({ visible: 0, inFlight: 1 });
  await remove(again?.ReceiptHandle);
  pass(61);
  expect(await receive()).toEqual([]);
});

test("a message is moved to the dead-letter queue by a receive too many, and back by the runbook's commands", async () => {
  const { MessageId: messageId } = await send('poison');
  await send('good');
  await receive();
  pass(61);
  const [, good] = await receive();
  await remove(good?.ReceiptHandle);
  pass(61);
  expect(deadLetters).toEqual([]);
  expect(await receive()).toEqual([]);
  const deadLetter = expect.objectContaining({ messageId, receives: 2 });
  expect(deadLetters).toEqual([[deadLetter, 'offers', 'offers-dead']]);
  expect(await service.receive('offers-dead', { maximum: 10, hideMs: 0 })).toMatchObject([
    { messageId, body: 'poison', receives: 3, sentMs: startMs, deadLetterSource: 'offers' },
  ]);

  const dead = { QueueUrl: `${QueueUrl}-dead`, AttributeNames: ['All' as const] };
  const { QueueArn: SourceArn } = (await sqs.getQueueAttributes(dead)).Attributes ?? {};
  await sqs.startMessageMoveTask({ SourceArn });
  const { Results } = await sqs.listMessageMoveTasks({ SourceArn });
  expect(Results).toMatchObject([{ Status: 'COMPLETED', ApproximateNumberOfMessagesMoved: 1 }]);
  expect(await receive()).toMatchObject([{ Body: 'poison' }]);
  const other = sqs.startMessageMoveTask({ SourceArn: `${SourceArn}-2` });
  await expect(other).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('a message can be made visible sooner and kept hidden for longer, while it is in flight', async () => {
  await send('moved');
  const [first] = await receive();
  await hide(first?.ReceiptHandle, 0);
  const [second] = await receive();
  await hide(second?.ReceiptHandle, 600);
  pass(599);
  expect(await receive()).toEqual([]);
  await expect(hide(first?.ReceiptHandle, 0)).rejects.toThrow('not in flight');
  pass(1);
  await expect(hide(second?.ReceiptHandle, 600)).rejects.toThrow('not in flight');
  await expect(hide('handle', 0)).rejects.toMatchObject({ name: 'ReceiptHandleIsInvalid' });
});

test('a long poll ends when a message is sent, and when the clock makes one visible', async () => {
  const polled = receive(20);
  await send('hello');
  expect(await polled).toMatchObject([{ Body: 'hello' }]);
  const hidden = receive(20);
  pass(61);
  expect(await hidden).toMatchObject([{ Body: 'hello' }]);
});

test('a long poll takes no message for a client that hung up', async () => {
  const hangUp = new AbortController();
  const options = { abortSignal: hangUp.signal };
  const polled = sqs.receiveMessage({ QueueUrl, WaitTimeSeconds: 20 }, options);
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

test.each<[string, string, Partial<SendMessageRequest>, string?]>([
  ['an empty body', 'MissingParameter', { MessageBody: '' }],
  ['more than 1 MiB', 'InvalidParameterValue', { MessageBody: `x${'é'.repeat(mebibyte / 2)}` }],
  ['1 MiB and an attribute', 'InvalidParameterValue', { MessageBody: 'x'.repeat(mebibyte - 7) }],
  ['a control character', 'InvalidMessageContents', { MessageBody: 'a\u0000b' }],
  ['a lone surrogate', 'InvalidMessageContents', { MessageBody: 'a\ud800b' }],
  ['a noncharacter', 'InvalidMessageContents', { MessageBody: 'a\uffffb' }],
  ['a longer delay', 'InvalidParameterValue', { DelaySeconds: 901 }],
  ['11 attributes', 'InvalidParameterValue', { MessageAttributes: Object.fromEntries(eleven) }],
  ['an empty attribute', 'InvalidParameterValue', { MessageAttributes: { a: string('') } }],
  ['a list as one', 'InvalidParameterValue', { MessageAttributes: { a: string(['b'] as never) } }],
  ['a group of two words', 'InvalidParameterValue', { MessageGroupId: 'a b' }],
  ['an id against repetition', 'InvalidParameterValue', { MessageDeduplicationId: '7' }],
  ['a name of AWS', 'InvalidParameterValue', { MessageAttributes: { 'AWS.a': string('x') } }],
  ['a name as a URL', 'InvalidAddress', { QueueUrl: 'offers' }],
  ['no such queue', 'AWS.SimpleQueueService.NonExistentQueue', {}, 'other'],
])('a message with %s is refused with %s', async (_, Code, wrong, name = 'offers') => {
  const { href } = new URL(name, QueueUrl);
  const right = { QueueUrl: href, MessageBody: 'x', MessageAttributes: { a: string('x') } };
  const refused = sqs.sendMessage({ ...right, ...wrong });
  await expect(refused).rejects.toMatchObject({ Code });
  expect(await receive()).toEqual([]);
});

test('a batch takes the entries that are right, and names the others', async () => {
  const Entries = ['good', 'a\u0000b'].map((body) => ({ Id: body.slice(0, 1), MessageBody: body }));
  const { Failed } = await sqs.sendMessageBatch({ QueueUrl, Entries });
  expect(Failed).toMatchObject([{ Id: 'a', Code: 'InvalidMessageContents', SenderFault: true }]);
  expect(await receive()).toMatchObject([{ Body: 'good' }]);
});

test.each<[string, string, string[], string?]>([
  ['of no entry', 'EmptyBatchRequest', []],
  ['of 11', 'TooManyEntriesInBatchRequest', Array.from({ length: 11 }, (_, index) => `${index}`)],
  ['with equal ids', 'BatchEntryIdsNotDistinct', ['1', '1']],
  ['with an id with a dot', 'InvalidBatchEntryId', ['1.2']],
  ['of more than 1 MiB', 'BatchRequestTooLong', ['1', '2'], 'x'.repeat(mebibyte / 2 + 1)],
])('a batch %s is refused with %s, as a whole', async (_, code, ids, MessageBody = 'x') => {
  const Entries = ids.map((Id) => ({ Id, MessageBody }));
  const refused = sqs.sendMessageBatch({ QueueUrl, Entries });
  const Code = `AWS.SimpleQueueService.${code}`;
  await expect(refused).rejects.toMatchObject({ name: code, Code });
  expect(service.attributes('offers').visible).toBe(0);
});

test('attributes have the digests of SQS, and a receive returns those that it names', async () => {
  // Recorded from SQS: localstack/localstack, tests/aws/services/sqs/test_sqs.snapshot.json.
  const trace = 'traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01';
  const attr1 = { DataType: 'Binary', BinaryValue: Buffer.from(trace) };
  const texts = { Hello: string('There'), General: string('Kenobi'), 'Help.Me': string('Me') };
  const sent = await sqs.sendMessage({ QueueUrl, MessageBody: '1', MessageAttributes: texts });
  expect(sent.MD5OfMessageAttributes).toBe('4c360f3fdafd970e05fae2f149d997f5');
  const binary = { QueueUrl, MessageBody: '2', MessageAttributes: { attr1 } };
  const { MD5OfMessageAttributes } = await sqs.sendMessage(binary);
  expect(MD5OfMessageAttributes).toBe('8cbe4db156db8a94db8b801b7addb984');
  const { Messages } = await sqs.receiveMessage({
    QueueUrl,
    MaxNumberOfMessages: 10,
    MessageAttributeNames: ['Hello', 'Help.Me', 'attr1'],
    AttributeNames: ['All'],
  });
  expect(Messages).toMatchObject([
    { MD5OfMessageAttributes: '83fee93c1bcd8b9a5a923ffacdc636c7' },
    { Attributes: { ApproximateReceiveCount: '1' } },
  ]);
  expect(Object.keys(Messages?.[0]?.MessageAttributes ?? {})).toEqual(['Hello', 'Help.Me']);
});

test('a message with a delay arrives after it', async () => {
  await sqs.sendMessage({ QueueUrl, MessageBody: 'later', DelaySeconds: 900 });
  pass(899);
  expect(await receive()).toEqual([]);
  pass(1);
  expect(await receive()).toHaveLength(1);
});

const createQueue = (QueueName: string, Attributes: Record<string, string>) =>
  sqs.createQueue({ QueueName, Attributes });
const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:000000000000:offers-dead';
const redrive = (others: object = {}) =>
  JSON.stringify({ deadLetterTargetArn, maxReceiveCount: '1', ...others });

test("a queue of one's own hides a message for its own time, until it is a dead letter", async () => {
  const own = { VisibilityTimeout: '5', Policy: '{}', SqsManagedSseEnabled: 'true' };
  ({ QueueUrl = '' } = await createQueue('own', own));
  await createQueue('own', { VisibilityTimeout: '5' });
  const Attributes = { RedrivePolicy: redrive() };
  await sqs.setQueueAttributes({ QueueUrl, Attributes });
  await send('poison');
  expect(await receive()).toHaveLength(1);
  pass(4);
  expect([await receive(), deadLetters]).toEqual([[], []]);
  pass(1);
  expect([await receive(), deadLetters]).toMatchObject([[], [[{}, 'own', 'offers-dead']]]);
  const { Attributes: all } = await sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] });
  const RedrivePolicy = redrive({ maxReceiveCount: 1 });
  expect(all).toMatchObject({ VisibilityTimeout: '5', RedrivePolicy });

  await send('waits');
  await receive();
  service.remove('offers-dead');
  pass(5);
  expect(await receive()).toHaveLength(1);
});

const elsewhere = redrive({ deadLetterTargetArn: `${deadLetterTargetArn}-2` });
test.each<[string, RegExp, Record<string, string>, string?]>([
  ['a missing dead-letter queue', /target does not exist/, { RedrivePolicy: elsewhere }],
  ['no policy', /RedrivePolicy/, { RedrivePolicy: '{' }],
  ['no receive', /maxReceiveCount/, { RedrivePolicy: redrive({ maxReceiveCount: 0 }) }],
  ['a longer time', /VisibilityTimeout .* between 0 and 43200/, { VisibilityTimeout: '43201' }],
  ['a delay', /DelaySeconds must be 0 here, not 1/, { DelaySeconds: '1' }],
  ['an order', /FifoQueue is not supported/, { FifoQueue: 'true' }],
  ['another time than before', /already exists/, { VisibilityTimeout: '30' }, 'offers'],
])('a queue with %s is refused', async (_, message, attributes, name = 'own') => {
  const before = service.names();
  await expect(createQueue(name, attributes)).rejects.toThrow(message);
  expect(service.names()).toEqual(before);
});

test("a request in SQS's query protocol is told what is understood", async () => {
  const body = new URLSearchParams({ Action: 'SendMessage', MessageBody: '1' });
  const response = await fetch(QueueUrl, { method: 'POST', body });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(
    /^<ErrorResponse><Error>.*Only AWS's JSON protocol .* boto3 1\.28\.82 .*<\/ErrorResponse>$/,
  );
});
