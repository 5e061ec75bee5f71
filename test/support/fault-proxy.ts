import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

/**
 * What goes wrong with a call. Before the service sees it: `reset`, `hold` until released, `kill`
 * the caller, or an error in its place. After the service has done it: `lose`, `truncate` or
 * `delay` the response, return an error in its place, `kill` the caller, or do it `twice`. Of
 * PutEvents, the first entry may be `refused`.
 */
export type CallFault =
  | { readonly kind: 'hold'; readonly released: Promise<unknown>; readonly onCall?: () => void }
  | { readonly kind: 'killBefore' | 'killAfter'; readonly kill: () => Promise<unknown> }
  | (ErrorOfService & { readonly kind: 'response' | 'failResponse' })
  | { readonly kind: 'delayResponse'; readonly delayMs: number }
  | { readonly kind: 'reset' | 'loseResponse' | 'truncateResponse' | 'twice' | 'refuseEntry' };

interface ErrorOfService {
  readonly status: number;
  readonly type: string;
}

/** The faults with which the service never sees the call. */
const before: readonly (string | undefined)[] = ['reset', 'killBefore', 'response'];

/** Statuses of errors by the beginning of their types; others have 400. */
const statuses = { Internal: 500, ServiceUnavailable: 503, TooManyRequests: 429 } as const;

/** An error in place of the service's response, with the status that the service gives it. */
export const errorResponse = (type: string): CallFault => {
  const [, status = 400] = Object.entries(statuses).find(([name]) => type.startsWith(name)) ?? [];
  return { kind: 'response', status, type };
};

export interface FaultRule {
  /** An operation's name: `TransactWriteItems`, `SendMessageBatch`, `SendEmail` … */
  readonly operation: string;
  /** Part of the request's body: an id, or text that only some calls hold. */
  readonly about?: string;
  /** Which of the calls that match, from 1; all of them unless given. */
  readonly calls?: readonly number[];
  readonly fault: CallFault;
}

/** One call that a proxy has seen, and the kind of fault that it met. */
export interface SeenCall {
  readonly operation: string;
  readonly body: string;
  readonly fault?: CallFault['kind'];
  /** Capacity units that DynamoDB says the call consumed. */
  readonly consumed?: number;
  /** Items that DynamoDB says a query read. */
  readonly scanned?: number;
}

/**
 * Stands between the functions and one service that they call; the SDKs' endpoint variables point
 * at it. It forwards everything until a fault is set.
 */
export class FaultProxy {
  /** Every call since the start or the last `clear`, in the order of arrival. */
  readonly seen: SeenCall[] = [];
  #rules: { readonly rule: FaultRule; matched: number }[] = [];
  /** Where calls go; must be known before the first one comes. */
  target = '';
  readonly #server = createServer((incoming, outgoing) => {
    // Functions may live in another time: by a date the SDK would find a clock skew, take every
    // refusal for its consequence, and use up its retries.
    outgoing.sendDate = false;
    this.#serve(incoming, outgoing).catch(() => outgoing.destroy());
  });

  static async start(target = ''): Promise<FaultProxy> {
    const proxy = new FaultProxy();
    proxy.target = target;
    // As long as another server of a test.
    proxy.#server.keepAliveTimeout = 60_000;
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Adds a rule; of several that match a call the first decides. */
  inject(rule: FaultRule): void {
    this.#rules.push({ rule, matched: 0 });
  }

  /**
   * Holds calls back.
   *
   * @returns a promise that the first of them has come, and what lets them all go on
   */
  hold(rule: Omit<FaultRule, 'fault'>): {
    readonly held: Promise<void>;
    readonly release: () => void;
  } {
    const { promise: held, resolve: onCall } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    this.inject({ ...rule, fault: { kind: 'hold', released, onCall } });
    return { held, release };
  }

  /**
   * From here on everything passes; what has been seen is forgotten.
   *
   * @returns the kinds of faults that calls have met, and how many rules there were for them
   */
  clear(): { rules: number; met: CallFault['kind'][] } {
    const met = this.seen.flatMap(({ fault }) => fault ?? []);
    const rules = this.#rules.length;
    this.#rules = [];
    this.seen.length = 0;
    return { rules, met };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const operation = operationOf(incoming);
    const body = askForCapacity(incoming, await text(incoming));
    const fault = this.#faultFor(operation, body);
    const call: SeenCall = { operation, body, ...(fault && { fault: fault.kind }) };
    this.seen.push(call);
    if (fault?.kind === 'hold') {
      fault.onCall?.();
      await fault.released;
    }
    const response = await this.#forward(incoming, body, fault?.kind);
    Object.assign(call, costOf(response.body));
    switch (fault?.kind) {
      case 'killBefore':
      case 'killAfter':
        await fault.kill();
        incoming.socket.destroy();
        return;
      case 'reset':
      case 'loseResponse':
        incoming.socket.resetAndDestroy();
        return;
      case 'response':
      case 'failResponse':
        respondError(outgoing, fault, body);
        return;
      case 'truncateResponse':
        outgoing.writeHead(response.status, {
          ...response.headers,
          'Content-Length': Buffer.byteLength(response.body) + 1,
        });
        outgoing.write(response.body.slice(0, -1), () => incoming.socket.destroy());
        return;
      case 'delayResponse':
        await sleep(fault.delayMs);
    }
    outgoing.writeHead(response.status, response.headers);
    outgoing.end(response.body);
  }

  #faultFor(operation: string, body: string): CallFault | undefined {
    for (const entry of this.#rules) {
      const { rule } = entry;
      if (rule.operation !== operation || !body.includes(rule.about ?? '')) continue;
      entry.matched += 1;
      if (!rule.calls || rule.calls.includes(entry.matched)) return rule.fault;
    }
    return undefined;
  }

  async #forward(incoming: IncomingMessage, body: string, fault?: CallFault['kind']) {
    if (before.includes(fault)) return { status: 0, headers: {}, body: '' };
    if (fault === 'refuseEntry') return this.#forwardRest(incoming, body);
    const response = await this.#send(incoming, body);
    if (fault === 'twice') await this.#send(incoming, body);
    return response;
  }

  /** Passes on all but the first entry of PutEvents, which is said to have been throttled. */
  async #forwardRest(incoming: IncomingMessage, body: string) {
    const [, ...rest] = JSON.parse(body).Entries;
    const passed =
      rest.length > 0
        ? await this.#send(incoming, JSON.stringify({ Entries: rest }))
        : { status: 200, headers: { 'Content-Type': 'application/x-amz-json-1.1' }, body: '{}' };
    const { Entries = [], FailedEntryCount = 0 } = JSON.parse(passed.body);
    const response = {
      FailedEntryCount: FailedEntryCount + 1,
      Entries: [{ ErrorCode: 'ThrottlingException' }, ...Entries],
    };
    return { ...passed, body: JSON.stringify(response) };
  }

  async #send({ url = '/', method = 'POST', headers }: IncomingMessage, body: string) {
    const {
      host: _,
      connection: __,
      'transfer-encoding': ___,
      'content-length': ____,
      ...rest
    } = headers;
    const response = await request(new URL(url, this.target), { method, headers: rest, body });
    const { 'content-type': type = 'application/json', 'x-amzn-errortype': error } =
      response.headers;
    return {
      status: response.statusCode,
      headers: { 'Content-Type': `${type}`, ...(error && { 'X-Amzn-ErrorType': `${error}` }) },
      body: await response.body.text(),
    };
  }
}

/** Asks DynamoDB to report capacity; nothing here verifies the signature that this breaks. */
const askForCapacity = ({ headers }: IncomingMessage, body: string): string =>
  `${headers['x-amz-target']}`.startsWith('DynamoDB_')
    ? JSON.stringify({ ...JSON.parse(body), ReturnConsumedCapacity: 'TOTAL' })
    : body;

const costOf = (body: string): Pick<SeenCall, 'consumed' | 'scanned'> => {
  const { ConsumedCapacity = [], ScannedCount } = JSON.parse(body || '{}');
  return {
    consumed: [ConsumedCapacity].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0),
    scanned: ScannedCount,
  };
};

/** DynamoDB and SQS name the operation in a header, SES has a path for each. */
const operationOf = ({ headers, url }: IncomingMessage): string => {
  const target = headers['x-amz-target'];
  if (target) return `${target}`.split('.').at(-1) ?? '';
  return url?.endsWith('/outbound-emails') ? 'SendEmail' : `${url}`;
};

/** Responds an error; that of a cancelled transaction has a reason for each of its items. */
const respondError = (
  outgoing: ServerResponse,
  { status, type }: ErrorOfService,
  requestBody: string,
): void => {
  const [name = '', reason] = type.split(':');
  const { TransactItems = [] } = reason ? JSON.parse(requestBody) : {};
  const error = {
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: 'Injected by a test.',
    ...(reason && {
      CancellationReasons: TransactItems.map((_: unknown, index: number) => ({
        Code: index === 0 ? reason : 'None',
      })),
    }),
  };
  outgoing.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.0',
    'X-Amzn-ErrorType': name,
  });
  outgoing.end(JSON.stringify(error));
};
