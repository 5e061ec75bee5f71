import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { childEnvironment } from '../../../test/support/child-environment.ts';
import { createTable } from '../../../test/support/create-table.ts';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { stack } from '../../../test/support/running-stack.ts';
import { serverOf } from '../../../test/support/servers.ts';
import { buildDirectory } from '../../bundles/build-directory.ts';
import {
  Clock,
  consumeQueue,
  LambdaFunction,
  QueueService,
  readFunctions,
  startSqsServer,
} from '../../local/local-engine.ts';
import { eventExamples } from '../../openapi/webhooks.ts';

const run = promisify(execFile);

let synthesized: Promise<string> | undefined;

/** In a process of its own, because CDK prints what it bundles; once for all files of a worker. */
const synthesize = async (): Promise<string> => {
  const directory = buildDirectory();
  const env = { ...childEnvironment(), CDK_OUTDIR: directory };
  await run(process.execPath, ['lib/consumers/app.ts'], { env });
  return directory;
};

const exampleOf = (type: string) => ({
  ...eventExamples.find((each) => each.type === type),
  workspace: 'wsp_1',
});

export const payment = { worker: 'wr_amara', amount: '1250.00', currency: 'USD' };

/** An approval of what had this status. */
export const approvalOf = (id: string | undefined, status?: string, changes: object = {}) => ({
  ...exampleOf('payment_request.approved'),
  data: {
    approval: { previous_status: status },
    payment_request: { ...payment, id, status: 'approved' },
  },
  ...changes,
});

/** The end of an approved payment request. */
export const endOf = (id: string, status?: string) => ({
  ...exampleOf('payment_request.ended'),
  data: { record_version: 2, payment_request: { ...payment, id, status } },
});

/** Responds to a request of the payer. */
export type Provider = (request: IncomingMessage, response: ServerResponse) => void;

/** A dead letter: what it is about, and why a person must decide. */
export interface Letter {
  readonly id: string;
  readonly reason: string | undefined;
}

/** How messages are consumed. */
interface Round {
  /** The time that passes before: unless given, that for which a message is hidden. */
  readonly afterMs?: number;
  readonly batchSize?: number;
  readonly onConsumed?: (body: string) => void;
}

/** The queues, the function and the table of the payer's stack, and what they call. */
export type Payer = Awaited<ReturnType<typeof startPayer>>;

/**
 * Runs the stack's function beside a payment provider.
 *
 * @param timeoutMs of the function, which waits for the provider until ten seconds before it ends
 */
export const startPayer = async (provider: Provider, timeoutMs?: number) => {
  synthesized ??= synthesize();
  const directory = await synthesized;
  const clock = new Clock();
  const queues = new QueueService(() => clock.now());
  const server = await startSqsServer(queues);
  const proxies = {
    dynamodb: await FaultProxy.start(stack.endpoints.dynamodb),
    sqs: await FaultProxy.start(server.url),
  };
  const [settings] = await readFunctions(directory, queues, proxies.sqs.url);
  if (!settings) throw new Error('The stack has no function.');
  const PAID_REQUESTS = `records-${randomUUID()}`;
  await createTable(PAID_REQUESTS, ['id']);
  const environment = {
    ...settings.environment,
    PAID_REQUESTS,
    PAYMENTS_URL: await serverOf(provider),
    AWS_ENDPOINT_URL_DYNAMODB: proxies.dynamodb.url,
    AWS_ENDPOINT_URL_SQS: proxies.sqs.url,
  };
  const lambda = new LambdaFunction(
    { ...settings, clock, environment, ...(timeoutMs && { timeoutMs }) },
    () => {},
  );
  const queueOf = (part: string) => queues.names().find((name) => name.includes(part)) ?? '';
  const [queueName, deadLetters] = [queueOf('Approvals'), queueOf('DeadLetters')];
  const { visibilityTimeoutMs } = queues.settings(queueName);

  /** Sends events, each in a message of its own; EventBridge gives one another id each time. */
  const send = (...events: readonly object[]) => {
    for (const detail of events) {
      queues.send(queueName, { body: JSON.stringify({ id: randomUUID(), detail }) });
    }
  };

  const consume = ({ afterMs = visibilityTimeoutMs, ...round }: Round = {}) => {
    clock.advance(afterMs);
    return consumeAll(queues, queueName, lambda, round);
  };

  const letters = async (): Promise<Letter[]> => {
    const messages = await queues.receive(deadLetters, { maximum: 10_000, hideMs: 0 });
    return messages.map(({ body, attributes }) => ({
      id: JSON.parse(body).detail.data.payment_request.id,
      reason: attributes?.reason?.StringValue,
    }));
  };

  /** How many messages are left to consume. */
  const left = () => {
    const { visible, inFlight } = queues.attributes(queueName);
    return visible + inFlight;
  };

  return {
    ...{ clock, lambda, ...proxies, queues, queueName, deadLetters },
    ...{ send, consume, letters, left },
    stop: async () => {
      await lambda.stop();
      await Promise.all([server.stop(), ...Object.values(proxies).map((each) => each.stop())]);
    },
  };
};

/**
 * Consumes all that can be received now.
 *
 * @returns how each message ended: what has failed comes again
 */
const consumeAll = async (
  queue: QueueService,
  queueName: string,
  lambda: LambdaFunction,
  { batchSize = 10, onConsumed }: Omit<Round, 'afterMs'>,
) => {
  const { visible } = queue.attributes(queueName);
  const ends: ('failed' | 'consumed')[] = [];
  const bodies = new Map<string, string>();
  const target = {
    name: lambda.name,
    invoke: (event: unknown) => {
      const { Records } = event as { Records: { messageId: string; body: string }[] };
      for (const { messageId, body } of Records) bodies.set(messageId, body);
      return lambda.invoke(event);
    },
  };
  const mapping = consumeQueue(
    { queue, queueName, target, batchSize, maximumConcurrency: 2 },
    ({ messageIds, failed }) => {
      for (const id of messageIds) {
        if (!failed.includes(id)) onConsumed?.(bodies.get(id) ?? '');
        ends.push(failed.includes(id) ? 'failed' : 'consumed');
      }
    },
  );
  await expect.poll(() => ends.length).toBeGreaterThanOrEqual(visible);
  await mapping.stop();
  return ends;
};

/** A provider's requests, and a response to each by its status, or by a function. */
export const providerOf = (responses: (number | Provider)[]) => {
  const requests: unknown[] = [];
  const provider: Provider = async (request, response) => {
    if (request.url === '/login') return void response.end('A page');
    const what = `${request.method} ${request.headers['content-type']}`;
    if (what !== 'POST application/json') return void response.writeHead(415).end();
    const next = responses.shift() ?? 200;
    const status = typeof next === 'number' ? next : 0;
    requests.push([status, request.headers['idempotency-key'], await json(request)]);
    if (typeof next === 'number') response.writeHead(next, { Location: '/login' }).end();
    else next(request, response);
  };
  return { requests, provider };
};
