import { EventEmitter } from 'node:events';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { type Event, eventSource } from '../../functions/domain/events.ts';
import { type Route, routes } from '../../functions/domain/routes.ts';
import { dynamodb, table } from '../../functions/store/client.ts';
import {
  type BusEvent,
  consumeStream,
  type QueueService,
  type RequestLog,
} from '../../lib/local/local-engine.ts';
import { operationAnchor } from '../../lib/openapi/anchors.ts';
import { operationIds, operations } from '../../lib/openapi/operations.ts';
import type { Resources } from '../local-run/resources.ts';

/** A request, and the operation that it asked for. */
interface LiveRequest extends RequestLog {
  readonly operation: { readonly anchor: string; readonly summary: string };
}

/** A sandbox or a delivery attempt, with every status that it has had, oldest first. */
interface LiveRow {
  readonly key: string;
  readonly id: string;
  readonly name: string;
  readonly states: readonly { readonly status: string; readonly at: string }[];
  readonly reason?: string;
  readonly hasMail: boolean;
}

/** What the live panel watches. */
export interface LiveStateOptions {
  /** Where DynamoDB answers. */
  readonly dynamodbUrl: string;
  readonly queues: QueueService;
  /** The queues to count, by the name to show. */
  readonly queueUrls: Resources['queues'];
}

const rowLimit = 5;
const keptRows = 500;
const withMail = ['sent', 'delivered', 'bounced', 'complained'];

/**
 * The effects that follow an API's answers. The table's stream, the queues and the gateway push
 * each change here; `change` is emitted for each.
 */
export class LiveState extends EventEmitter<{ change: [] }> {
  readonly #rows = { SANDBOX: new Map<string, LiveRow>(), DELIVERY: new Map<string, LiveRow>() };
  readonly #requests = new Map<string, LiveRequest>();
  /** Newest first. */
  #events: Event[] = [];
  #countQueues = () => [] as object[];

  /** Keeps a request by the identifiers of what it made, which its answer names. */
  addRequest(request: RequestLog, answer: string): void {
    const operation = operationOf(request);
    if (!operation || request.status >= 400) return;
    const { id, delivery } = JSON.parse(answer);
    for (const made of [id, delivery?.last_attempt?.id]) {
      // A replay names what the first request made.
      if (made && !this.#requests.has(made)) keep(this.#requests, made, { ...request, operation });
    }
    this.emit('change');
  }

  /** Keeps an event of the service's own; one that comes again stays where it was. */
  addEvent({ source, detail }: BusEvent): void {
    const event = detail as Event;
    if (source !== eventSource || this.#events.some(({ id }) => id === event.id)) return;
    this.#events = [event, ...this.#events].slice(0, keptRows);
    this.emit('change');
  }

  /** Follows the table's stream, from as long ago as it reaches, and the queues, until stopped. */
  async follow({ dynamodbUrl, queues, queueUrls }: LiveStateOptions): Promise<() => Promise<void>> {
    this.#countQueues = () =>
      Object.entries(queueUrls).map(([name, urls]) => countMessages(queues, name, urls));
    const counting = setInterval(() => this.emit('change'), 1000);
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: table() }));
    const stream = await consumeStream(
      {
        endpoint: dynamodbUrl,
        streamArn: Table?.LatestStreamArn ?? '',
        target: {
          name: 'reference',
          invoke: async (event) => (event as DynamoDBStreamEvent).Records.forEach(this.#addRecord),
        },
        batchSize: 1000,
        filters: [],
      },
      () => {},
    );
    return () => {
      clearInterval(counting);
      this.#countQueues = () => [];
      return stream.stop();
    };
  }

  snapshot() {
    const newest = (type: 'SANDBOX' | 'DELIVERY') =>
      [...this.#rows[type].values()]
        .sort((one, other) => (one.id < other.id ? 1 : -1))
        .slice(0, rowLimit)
        .map((row) => ({ ...row, request: this.#requests.get(row.id) }));
    return {
      sandboxes: newest('SANDBOX'),
      deliveries: newest('DELIVERY'),
      events: this.#events.slice(0, rowLimit),
      queues: this.#countQueues(),
    };
  }

  /** One change for each record: a sandbox that is ready soon was `provisioning` before. */
  readonly #addRecord = ({ dynamodb: change }: DynamoDBRecord): void => {
    const image = (change?.NewImage ?? {}) as Parameters<typeof unmarshall>[0];
    // A number beyond those of JavaScript would throw, and its record come again for ever.
    const item = unmarshall(image, { wrapNumbers: true });
    const { type, id, offer, name = offer, status, reason, created, updated: at } = item;
    // Demo data and fixtures have delivery attempts that had ended when they were made.
    const isGiven = type === 'DELIVERY' && status !== 'queued' && created === at;
    const rows: Map<string, LiveRow> | undefined = this.#rows[type as 'SANDBOX' | 'DELIVERY'];
    if (!rows || isGiven) return;
    const states = rows.get(id)?.states ?? [];
    keep(rows, id, {
      key: `${type}-${id}`.toLowerCase(),
      id,
      name,
      states: states.at(-1)?.status === status ? states : [...states, { status, at }],
      reason,
      hasMail: withMail.includes(status),
    });
    this.emit('change');
  };
}

const keep = <Value>(map: Map<string, Value>, key: string, value: Value): void => {
  map.set(key, value);
  const [oldest = ''] = map.keys();
  if (map.size > keptRows) map.delete(oldest);
};

/** The operation of the contract that a request was for. */
const operationOf = ({ method, path }: RequestLog): LiveRequest['operation'] | undefined => {
  const id = operationIds.find((each) => {
    const route: Route = routes[each];
    return route.method === method && pattern(route.path).test(path);
  });
  return id && { anchor: operationAnchor(id), summary: operations[id].summary };
};

const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);

const countMessages = (
  queues: QueueService,
  name: string,
  { url, deadLetters }: Resources['queues'][string],
) => {
  const own = url && queues.attributes(queueName(url));
  const given = queues.attributes(queueName(deadLetters));
  return {
    name,
    ...(own && { waiting: own.visible, taken: own.inFlight }),
    // A message that a command reads is hidden for a moment.
    deadLetters: given.visible + given.inFlight,
  };
};

const queueName = (url: string) => url.slice(url.lastIndexOf('/') + 1);
