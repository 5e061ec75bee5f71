import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { credentials, region } from '../aws-account.ts';
import { maximumMessageBytes, QueueService, type QueueSettings } from '../sqs/queue-service.ts';
import { startSqsServer } from '../sqs/sqs-server.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const secondMs = 1000;
const startMs = Date.UTC(2026, 0, 1);

const offers: QueueSettings = {
  name: 'offers',
  visibilityTimeoutMs: 60 * secondMs,
  retentionMs: 3600 * secondMs,
  redrive: { deadLetterQueue: 'offers-dead', maximumReceives: 2 },
};
const dead: QueueSettings = {
  name: 'offers-dead',
  visibilityTimeoutMs: 60 * secondMs,
  retentionMs: 7200 * secondMs,
};

let nowMs: number;
let service: QueueService;
let server: Awaited<ReturnType<typeof startSqsServer>>;
let sqs: SQSClient;
let QueueUrl: string;

beforeEach(async () => {
  nowMs = startMs;
  service = new QueueService({ path: ':memory:', now: () => nowMs });
  service.create(offers);
  service.create(dead);
  server = await startSqsServer(service);
  sqs = new SQSClient({ endpoint: server.url, region, credentials });
  QueueUrl = `${server.url}/000000000000/offers`;
});

afterEach(async () => {
  sqs.destroy();
  await server.stop();
  service.close();
});

const send = (MessageBody: string) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));

const receive = async (options: { url?: string; waitSeconds?: number } = {}) => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: options.url ?? QueueUrl,
      WaitTimeSeconds: options.waitSeconds ?? 0,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return Messages;
};

describe('a message', () => {
  test('arrives once, with its attributes, and is gone when deleted', async () => {
    const { MessageId } = await sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody: 'Zoë ✓' }),
    );
    const [message, ...others] = await receive();
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      MessageId,
      Body: 'Zoë ✓',
      Attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: String(startMs),
        ApproximateFirstReceiveTimestamp: String(startMs),
      },
    });
    await expect(receive()).resolves.toEqual([]);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    nowMs += 61 * secondMs;
    await expect(receive()).resolves.toEqual([]);
  });

  test('comes back after its visibility timeout, counted', async () => {
    await send('again');
    await receive();
    nowMs += 59 * secondMs;
    await expect(receive()).resolves.toEqual([]);
    nowMs += 1 * secondMs;
    await expect(receive()).resolves.toMatchObject([
      { Body: 'again', Attributes: { ApproximateReceiveCount: '2' } },
    ]);
  });

  test('is not deleted by the receipt handle of an older receive', async () => {
    await send('kept');
    const [older] = await receive();
    nowMs += 61 * secondMs;
    const [newer] = await receive();
    expect(newer?.ReceiptHandle).not.toBe(older?.ReceiptHandle);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: older?.ReceiptHandle }));
    expect(service.attributes('offers')).toEqual({ visible: 0, inFlight: 1 });
  });

  test('is lost after the retention period', async () => {
    await send('forgotten');
    nowMs += 3600 * secondMs;
    await expect(receive()).resolves.toEqual([]);
    expect(service.attributes('offers')).toEqual({ visible: 0, inFlight: 0 });
  });

  test('is lost after the retention period in flight too', async () => {
    await send('forgotten');
    const visibilityTimeoutMs = 2 * 3600 * secondMs;
    const [message] = await service.receive('offers', { maximum: 1, visibilityTimeoutMs });
    nowMs += 3600 * secondMs;
    await expect(receive()).resolves.toEqual([]);
    expect(() => service.changeVisibility('offers', message?.receiptHandle ?? '', 0)).toThrow(
      'The message is not in flight.',
    );
  });

  test('moves to the dead-letter queue instead of being received once too often', async () => {
    const { MessageId } = await send('poison');
    await receive();
    nowMs += 61 * secondMs;
    await expect(receive()).resolves.toHaveLength(1);
    nowMs += 61 * secondMs;
    await expect(receive()).resolves.toEqual([]);
    const url = `${server.url}/000000000000/offers-dead`;
    await expect(receive({ url })).resolves.toMatchObject([
      {
        MessageId,
        Body: 'poison',
        Attributes: {
          ApproximateReceiveCount: '3',
          SentTimestamp: String(startMs),
          DeadLetterQueueSourceArn: 'arn:aws:sqs:us-east-1:000000000000:offers',
        },
      },
    ]);
  });

  test('can be made visible sooner and kept hidden for longer', async () => {
    await send('moved');
    const [first] = await receive();
    const change = (ReceiptHandle: string | undefined, VisibilityTimeout: number) =>
      sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }));
    await change(first?.ReceiptHandle, 0);
    const [second] = await receive();
    expect(second?.Body).toBe('moved');
    await change(second?.ReceiptHandle, 600);
    nowMs += 599 * secondMs;
    await expect(receive()).resolves.toEqual([]);
    await expect(change(first?.ReceiptHandle, 0)).rejects.toThrow('not in flight');
    await expect(change(second?.ReceiptHandle, 43_201)).rejects.toThrow('43200');
    nowMs += 1 * secondMs;
    await expect(change(second?.ReceiptHandle, 600)).rejects.toThrow('not in flight');
  });
});

describe('a long poll', () => {
  test('ends when a message is sent', async () => {
    const polled = receive({ waitSeconds: 20 });
    await send('hello');
    await expect(polled).resolves.toMatchObject([{ Body: 'hello' }]);
  });

  test('ends when the clock makes a message visible', async () => {
    await send('hidden');
    await receive();
    const polled = receive({ waitSeconds: 20 });
    nowMs += 61 * secondMs;
    await expect(polled).resolves.toMatchObject([{ Body: 'hidden' }]);
  });

  test('takes no message for a client that hung up', async () => {
    const hangUp = new AbortController();
    const polled = sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: hangUp.signal,
    });
    // A request of its own round trip: the poll waits by then, and after it the hang-up is known.
    await sqs.send(new ListQueuesCommand({}));
    hangUp.abort();
    await expect(polled).rejects.toThrow('abort');
    await sqs.send(new ListQueuesCommand({}));
    await send('for somebody else');
    // Long enough for a poll that goes on to look again and take the message.
    await sleep(150);
    await expect(receive()).resolves.toHaveLength(1);
  });
});

describe('a batch', () => {
  const entries = (bodies: string[]) =>
    bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));

  test('is sent and deleted entry by entry', async () => {
    const sent = await sqs.send(
      new SendMessageBatchCommand({ QueueUrl, Entries: entries(['a', 'b', 'bell \u0007']) }),
    );
    expect(sent.Successful).toMatchObject([{ Id: '0' }, { Id: '1' }]);
    expect(sent.Failed).toMatchObject([
      { Id: '2', SenderFault: true, Code: 'InvalidMessageContents' },
    ]);

    const messages = await receive();
    const handles = messages.map(({ ReceiptHandle }, index) => ({
      Id: String(index),
      ReceiptHandle,
    }));
    expect(handles).toHaveLength(2);
    const deleted = await sqs.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: [...handles, { Id: 'bad', ReceiptHandle: 'nonsense' }],
      }),
    );
    expect(deleted.Successful).toHaveLength(2);
    expect(deleted.Failed).toMatchObject([{ Id: 'bad', Code: 'ReceiptHandleIsInvalid' }]);
    expect(service.attributes('offers')).toEqual({ visible: 0, inFlight: 0 });
  });

  test.each([
    ['EmptyBatchRequest', []],
    ['TooManyEntriesInBatchRequest', entries(Array.from({ length: 11 }, () => 'x'))],
    ['BatchEntryIdsNotDistinct', [...entries(['x']), ...entries(['y'])]],
    ['BatchRequestTooLong', entries(['x'.repeat(maximumMessageBytes), 'y'])],
  ])('is refused as a whole: %s', async (name, Entries) => {
    await expect(
      sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries })),
    ).rejects.toMatchObject({ name });
    expect(service.attributes('offers').visible).toBe(0);
  });
});

describe('the queues', () => {
  test('are listed and found by name', async () => {
    const { QueueUrls } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: 'offers' }));
    expect(QueueUrls).toEqual([QueueUrl, `${server.url}/000000000000/offers-dead`]);
    await expect(sqs.send(new GetQueueUrlCommand({ QueueName: 'offers' }))).resolves.toMatchObject({
      QueueUrl,
    });
  });

  test('describe themselves', async () => {
    await send('one');
    await send('two');
    await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 1 }));
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
    );
    expect(Attributes).toMatchObject({
      QueueArn: 'arn:aws:sqs:us-east-1:000000000000:offers',
      ApproximateNumberOfMessages: '1',
      ApproximateNumberOfMessagesNotVisible: '1',
      VisibilityTimeout: '60',
      RedrivePolicy:
        '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:offers-dead","maxReceiveCount":2}',
    });
  });

  test('keep their messages when they are created again, and when the process ends', async () => {
    const path = join(temporaryDirectory(), 'queues.sqlite');
    const before = new QueueService({ path });
    before.create(offers);
    const { messageId } = before.send('offers', { body: 'survivor' });
    before.create(offers);
    before.close();

    const after = new QueueService({ path });
    after.create(offers);
    await expect(after.receive('offers', { maximum: 1 })).resolves.toMatchObject([
      { messageId, body: 'survivor', receives: 1 },
    ]);
    after.close();
  });

  test('name a file that is no database', () => {
    const path = join(temporaryDirectory(), 'queues.sqlite');
    writeFileSync(path, 'no database');
    expect(() => new QueueService({ path })).toThrow(
      `${path} cannot be read: file is not a database. Restore it from a copy, or remove it`,
    );
  });
});

describe('a bad request', () => {
  test.each([
    ['QueueDoesNotExist', () => new ReceiveMessageCommand({ QueueUrl: `${QueueUrl}-missing` })],
    [
      'ReceiptHandleIsInvalid',
      () => new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'nonsense' }),
    ],
    [
      'InvalidParameterValueException',
      () =>
        new SendMessageCommand({
          QueueUrl,
          MessageBody: 'é'.repeat(maximumMessageBytes / 2 + 1),
        }),
    ],
    [
      'InvalidParameterValueException',
      () => new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 11 }),
    ],
    [
      'MissingRequiredParameterException',
      () => new SendMessageCommand({ QueueUrl, MessageBody: '' }),
    ],
    ['InvalidMessageContents', () => new SendMessageCommand({ QueueUrl, MessageBody: '\u0000' })],
    ['UnsupportedOperation', () => new TagQueueCommand({ QueueUrl, Tags: {} })],
    [
      'UnsupportedOperation',
      () => new SendMessageCommand({ QueueUrl, MessageBody: 'later', DelaySeconds: 30 }),
    ],
    [
      'UnsupportedOperation',
      () =>
        new SendMessageCommand({
          QueueUrl,
          MessageBody: 'tagged',
          MessageAttributes: { Attempt: { DataType: 'String', StringValue: 'dlv_1' } },
        }),
    ],
    [
      'InvalidAttributeName',
      () => new CreateQueueCommand({ QueueName: 'slow', Attributes: { DelaySeconds: '5' } }),
    ],
  ])('is answered with %s', async (name, command) => {
    await expect(sqs.send(command() as SendMessageCommand)).rejects.toMatchObject({
      __type: `com.amazonaws.sqs#${name}`,
      $metadata: { httpStatusCode: 400, attempts: 1 },
    });
  });
});
