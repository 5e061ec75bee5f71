import { createHash, randomUUID } from 'node:crypto';
import { Agent, request as httpRequest } from 'node:http';
import { arrayBuffer } from 'node:stream/consumers';
import type { HttpRequest, HttpResponse } from './instance.ts';

/** Some items of one partition, as a call reads or writes them. */
interface Access {
  readonly pk: string;
  /** The first and the last sort key. */
  readonly from: string;
  readonly to: string;
  readonly writes: boolean;
}

/** The items that a call touches; all of the table if it is undefined. */
export type Footprint = readonly Access[] | undefined;

/** Whether the order of two calls matters: they touch the same item, and one of them writes it. */
export const conflict = (some: Footprint, others: Footprint): boolean =>
  some === undefined ||
  others === undefined ||
  some.some((a) =>
    others.some((b) => a.pk === b.pk && a.from <= b.to && b.from <= a.to && (a.writes || b.writes)),
  );

/** A call to a service of AWS. */
export interface ServiceCall {
  readonly service: 'dynamodb' | 'sqs' | 'events' | 'ses';
  readonly operation: string;
  // biome-ignore lint/suspicious/noExplicitAny: it differs from operation to operation.
  readonly input: any;
  readonly footprint: Footprint;
  readonly request: HttpRequest;
}

const services: Record<string, ServiceCall['service']> = {
  DynamoDB_20120810: 'dynamodb',
  AmazonSQS: 'sqs',
  AWSEvents: 'events',
};

export const readCall = (request: HttpRequest): ServiceCall => {
  const [target = '', operation = 'SendEmail'] = (request.headers['x-amz-target'] ?? '').split('.');
  const service = services[target] ?? 'ses';
  const input = JSON.parse(bytesOf(request).toString());
  const footprint =
    service === 'dynamodb' ? footprintOf(operation, input) : service === 'ses' ? mails : [];
  return { service, operation, input, footprint, request };
};

/** A task may start after the first mail, so it matters which mail is the first. */
const mails = [{ pk: 'mails', from: 'mail', to: 'mail', writes: true }] as const;

/** The SDK's own kind of bytes writes a warning when it is used as text. */
const bytesOf = ({ body = '' }: HttpRequest): Buffer =>
  typeof body === 'string'
    ? Buffer.from(body)
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength);

/** Whether a call may change anything. A read that arrives late does not matter. */
export const isWrite = ({ service, footprint }: ServiceCall): boolean =>
  service !== 'dynamodb' || footprint === undefined || footprint.some(({ writes }) => writes);

/** Whether a rejection is a throttling, which the SDK retries; for a write it is a conflict. */
export const isThrottled = ({ service, operation }: Pick<ServiceCall, 'service' | 'operation'>) =>
  service === 'dynamodb' ? /^(GetItem|Query)$/.test(operation) : service !== 'ses';

type Key = Readonly<Record<'pk' | 'sk', { readonly S: string }>>;

const footprintOf = (operation: string, input: ServiceCall['input']): Footprint => {
  const at = ({ pk, sk }: Key, writes: boolean): Access => ({
    pk: pk.S,
    from: sk.S,
    to: sk.S,
    writes,
  });
  switch (operation) {
    case 'GetItem':
      return [at(input.Key, false)];
    case 'Query': {
      const { ':pk': pk, ':first': first, ':last': last } = input.ExpressionAttributeValues;
      return [{ pk: pk.S, from: first.S, to: last.S, writes: false }];
    }
    case 'PutItem':
      return [at(input.Item, true)];
    case 'UpdateItem':
    case 'DeleteItem':
      return [at(input.Key, true)];
    case 'TransactWriteItems':
      return input.TransactItems.map(
        ({ Put, Update, Delete, ConditionCheck }: Record<string, { Item: Key; Key: Key }>) =>
          at(Put?.Item ?? ((Update ?? Delete ?? ConditionCheck) as { Key: Key }).Key, true),
      );
    default:
      throw new Error(`The footprint of ${operation} is unknown.`);
  }
};

/**
 * The calls as which a call is done. A Query reads item by item, and a transaction may be committed
 * between two of them (Amazon DynamoDB Developer Guide, "Amazon DynamoDB Transactions: How it
 * works"). So one that reads backwards from a single item is two: that item, then those before it.
 */
export const partsOf = (call: ServiceCall): readonly ServiceCall[] => {
  const { operation, input, footprint = [], request } = call;
  const [{ pk, from, to } = mails[0]] = footprint;
  // The sort key of one of several has an identifier after a #.
  if (operation !== 'Query' || to.includes('#')) return [call];
  const part = (first: string, last: string, Limit: number): ServiceCall => {
    const values = {
      ...input.ExpressionAttributeValues,
      ':first': { S: first },
      ':last': { S: last },
    };
    const body = JSON.stringify({ ...input, Limit, ExpressionAttributeValues: values });
    const headers = { ...request.headers, 'content-length': `${Buffer.byteLength(body)}` };
    return {
      ...call,
      footprint: [{ pk, from: first, to: last, writes: false }],
      request: { ...request, headers, body },
    };
  };
  return [part(to, to, 1), part(from, `${from}~`, input.Limit - 1)];
};

/** The response to a Query by those to its parts. */
export const joined = (some: HttpResponse, more: HttpResponse): HttpResponse => {
  const { Items, ...rest } = read(more);
  return json({ ...rest, Items: [...read(some).Items, ...Items] });
};

const read = ({ body }: HttpResponse) => JSON.parse(new TextDecoder().decode(body));

/** AWS during one schedule: DynamoDB itself, and what the other services accepted. */
export class Services {
  readonly messages: Record<string, string>[] = [];
  readonly mails: string[] = [];
  readonly events: string[] = [];
  /** The partitions that were written to. */
  readonly partitions = new Set<string>();
  readonly #dynamodb: URL;

  constructor(dynamodb: string) {
    this.#dynamodb = new URL(dynamodb);
  }

  async perform({ service, input, request, footprint = [] }: ServiceCall): Promise<HttpResponse> {
    for (const { pk, writes } of footprint) if (writes) this.partitions.add(pk);
    switch (service) {
      case 'dynamodb':
        return forward(this.#dynamodb, request);
      case 'sqs':
        // What hides a message has no body.
        if (!input.Entries)
          return json(this.#accept(input.MessageBody ? [input] : []).Successful[0]);
        return json(this.#accept(input.Entries));
      case 'events':
        return json({ Entries: this.#publish(input.Entries) });
      case 'ses':
        this.mails.push(input.Content.Simple.Headers[0].Value);
        return json({ MessageId: randomUUID() });
    }
  }

  /** Responds to a call as a service does that refuses it. */
  refuse(call: ServiceCall): HttpResponse {
    const { service, operation, input } = call;
    if (service === 'ses') return refusal('TooManyRequestsException');
    if (isThrottled(call)) return refusal('ThrottlingException');
    if (operation !== 'TransactWriteItems') return refusal('TransactionConflictException');
    const CancellationReasons = input.TransactItems.map((_: unknown, index: number) => ({
      Code: index === 0 ? 'TransactionConflict' : 'None',
    }));
    return refusal('TransactionCanceledException', { CancellationReasons });
  }

  /** Responds to a batch of which only the first entry is refused. */
  refuseFirst({ service, input }: ServiceCall): HttpResponse {
    const [first, ...others] = input.Entries;
    if (service === 'events')
      return json({ Entries: [{ ErrorCode: 'X' }, ...this.#publish(others)] });
    const Failed = [{ Id: first.Id, SenderFault: false, Code: 'InternalError' }];
    return json({ ...this.#accept(others), Failed });
  }

  #publish(entries: readonly { readonly Detail: string }[]) {
    for (const { Detail } of entries) this.events.push(JSON.parse(Detail).id);
    return entries.map(() => ({ EventId: randomUUID() }));
  }

  #accept(entries: readonly { readonly Id?: string; readonly MessageBody: string }[]) {
    for (const { MessageBody } of entries) this.messages.push(JSON.parse(MessageBody));
    return {
      Successful: entries.map(({ Id, MessageBody }) => ({
        Id,
        MessageId: randomUUID(),
        // The SDK verifies it.
        MD5OfMessageBody: createHash('md5').update(MessageBody).digest('hex'),
      })),
    };
  }
}

/** A response of AWS. */
export const json = (body: unknown, statusCode = 200): HttpResponse => ({
  statusCode,
  headers: { 'content-type': 'application/x-amz-json-1.0' },
  body: new TextEncoder().encode(JSON.stringify(body)),
});

const refusal = (type: string, more = {}): HttpResponse =>
  json({ __type: `com.amazonaws#${type}`, message: 'Refused by the schedule.', ...more }, 400);

const agent = new Agent({ keepAlive: true });

const forward = (url: URL, call: HttpRequest): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: 'POST', headers: call.headers, agent });
    request.on('response', async (response) => {
      resolve({
        statusCode: response.statusCode ?? 500,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: new Uint8Array(await arrayBuffer(response)),
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      // The server closed the idle connection before it saw the request (Node.js,
      // `request.reusedSocket`).
      if (request.reusedSocket && error.code === 'ECONNRESET') resolve(forward(url, call));
      else reject(error);
    });
    request.end(bytesOf(call));
  });
