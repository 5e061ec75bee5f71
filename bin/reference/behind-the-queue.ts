import { once } from 'node:events';
import { connect } from 'node:net';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DeliveryAttempt } from '../../functions/domain/offer.ts';
import { Sandbox } from '../../functions/domain/sandbox.ts';
import { type Item, scan } from '../../functions/store/scan.ts';
import type { QueueUrls } from '../admin/queue-urls.ts';

/** What an API's answer does not show: what became of it afterwards. */
export interface BehindTheQueue {
  /** Whether the API takes connections. */
  readonly up: boolean;
  /** The newest ones, newest first. */
  readonly sandboxes: readonly Sandbox[];
  /** The newest ones that went through the queue, newest first. */
  readonly deliveries: readonly DeliveryAttempt[];
  readonly queues: readonly QueueState[];
}

interface QueueState {
  readonly name: string;
  /** Messages that wait for their consumer; undefined where there are only dead letters. */
  readonly waiting: number | undefined;
  /** Messages that a consumer has taken. */
  readonly taken: number | undefined;
  readonly deadLetters: number;
}

const shown = { SANDBOX: 3, DELIVERY: 3 };

export const lookBehindTheQueue = async (
  api: string,
  queues: Readonly<Record<string, QueueUrls>>,
): Promise<BehindTheQueue> => {
  const [up, items, states] = await Promise.all([
    takesConnections(api),
    Array.fromAsync(
      scan({
        FilterExpression: '#type IN (:sandbox, :delivery)',
        ExpressionAttributeNames: { '#type': 'type' },
        ExpressionAttributeValues: { ':sandbox': 'SANDBOX', ':delivery': 'DELIVERY' },
      }),
    ),
    Promise.all(Object.entries(queues).map(queueState)),
  ]);
  const newest = (type: keyof typeof shown) =>
    items
      .filter((item) => item.type === type && !isGiven(item))
      .sort((one, other) => (String(one.id) < String(other.id) ? 1 : -1))
      .slice(0, shown[type]);
  return {
    up,
    sandboxes: newest('SANDBOX').map((item) => Sandbox.parse(item)),
    deliveries: newest('DELIVERY').map((item) => DeliveryAttempt.parse(item)),
    queues: states,
  };
};

/** Whether it is an attempt that had ended when it was made, as demo data and fixtures have. */
const isGiven = ({ type, status, created, updated }: Item) =>
  type === 'DELIVERY' && status !== 'queued' && created === updated;

/** Asks no question, which the API would have to log once a second. */
const takesConnections = async (url: string): Promise<boolean> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const client = new SQSClient({});

const queueState = async ([name, { url, deadLetters }]: [
  string,
  QueueUrls,
]): Promise<QueueState> => {
  const [own, given] = await Promise.all([url && counts(url), counts(deadLetters)]);
  return {
    name,
    waiting: own ? own.visible : undefined,
    taken: own ? own.inFlight : undefined,
    // One that an operator's command looks at is hidden for as long.
    deadLetters: given.visible + given.inFlight,
  };
};

const counts = async (url: string) => {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    visible: Number(Attributes?.ApproximateNumberOfMessages),
    inFlight: Number(Attributes?.ApproximateNumberOfMessagesNotVisible),
  };
};
