import { setImmediate as microtasks } from 'node:timers/promises';
import type { SQSBatchResponse } from 'aws-lambda';
import { onTestFinished, vi } from 'vitest';
import { newOpaque } from '../../functions/runtime/stamp.ts';
import { table } from '../../functions/store/client.ts';
import { queueArn } from '../../lib/local/aws-account.ts';
import { QueueService } from '../../lib/local/local-engine.ts';
import { variables } from '../interleave/cases/function-variables.ts';
import { json, readCall, type ServiceCall, Services } from '../interleave/engine/calls.ts';
import { compile, type HttpResponse, type Machine } from '../interleave/engine/instance.ts';
import { waitingOffer } from '../support/delivery-attempts.ts';
import { messages, outboxMessage } from '../support/function-events.ts';
import { developmentTemplate, mappingOf, queuesOf } from '../support/read-template.ts';

/** Responds to one mail: with nothing if SES takes it, or with the type of an error. */
type Ses = (nowMs: number) => string | undefined;

type Message = Awaited<ReturnType<QueueService['receive']>>[number];

/** An SES with a sending rate: it saves up as many sends as it allows in a second. */
export const sesOf = (rate: number): Ses => {
  let [saved, lastMs] = [rate, 0];
  return (now) => {
    saved = Math.min(rate, saved + ((now - lastMs) * rate) / 1000);
    lastMs = now;
    if (saved < 1) return 'TooManyRequestsException';
    saved -= 1;
    return undefined;
  };
};

/** How long SES takes to respond. */
const sesMs = 150;
const lambdaTimeoutMs = 30_000;

const template = developmentTemplate();
const { BatchSize, ScalingConfig } = mappingOf(template, 'deliver-offer');
const { queue, deadLetters } = queuesOf(template, 'deliver-offer');
const { RedrivePolicy, VisibilityTimeout } = template.Resources[queue]?.Properties ?? {};

/**
 * Offers that are sent at one moment, from the queue on: its settings and those of its mapping are
 * the template's, the function is the deployed one, DynamoDB is real, and the time is virtual, so
 * that a day is over when there is nothing more to do in it.
 *
 * @returns what is left when no message is
 */
export const deliverAll = async (count: number, ses: Ses, atOnce?: number) => {
  const program = await compile({ file: 'functions/deliver-offer.ts' }, variables);
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const queues = new QueueService();
  queues.create({ name: deadLetters, visibilityTimeoutMs: 0 });
  const { maxReceiveCount } = RedrivePolicy;
  queues.create({
    name: queue,
    visibilityTimeoutMs: VisibilityTimeout * 1000,
    redrive: { deadLetterTargetArn: queueArn(deadLetters), maxReceiveCount },
  });
  const workspace = `wsp_${newOpaque()}`;
  const waiting = await Promise.all(Array.from({ length: count }, () => waitingOffer(workspace)));
  const attempts = waiting.map(({ attempt }) => attempt);
  for (const attempt of attempts) {
    queues.send(queue, { body: outboxMessage('Delivery', { workspace, ...attempt }) });
  }
  const services = new Services(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  const asked: number[] = [];

  const callSes = async (): Promise<HttpResponse | undefined> => {
    await sleep(sesMs);
    asked.push(Date.now());
    const type = ses(Date.now());
    return type === undefined ? undefined : json({ __type: type }, 400);
  };
  const applyToQueues = ({ input }: ServiceCall): void => {
    const { ReceiptHandle, VisibilityTimeout, MessageBody: body } = input;
    if (ReceiptHandle) queues.changeVisibility(queue, ReceiptHandle, VisibilityTimeout * 1000);
    else queues.send(deadLetters, { body });
  };
  const machine: Machine = {
    environment: { TABLE_NAME: table() },
    now: Date.now,
    setTimer: setTimeout,
    clearTimer: (timer) => clearTimeout(timer as NodeJS.Timeout),
    call: async (request) => {
      const call = readCall(request);
      if (call.service === 'sqs') applyToQueues(call);
      const refused = call.service === 'ses' ? await callSes() : undefined;
      return refused ?? during(services.perform(call));
    },
  };

  const handle = async (batch: readonly Message[]): Promise<void> => {
    const { handler, giveBack } = program(machine);
    const ends = Date.now() + lambdaTimeoutMs;
    const { Records } = messages(...batch.map(({ body }) => body));
    const records = Records.map((record, index) => ({
      ...record,
      messageId: batch[index]?.messageId,
      receiptHandle: batch[index]?.receiptHandle,
      attributes: { ...record.attributes, ApproximateReceiveCount: `${batch[index]?.receives}` },
    }));
    const context = { awsRequestId: '', getRemainingTimeInMillis: () => ends - Date.now() };
    const response = (await handler({ Records: records }, context)) as SQSBatchResponse;
    giveBack();
    if (Date.now() > ends) throw new Error('Lambda would have killed the function.');
    const failed = response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    for (const { messageId, receiptHandle } of batch) {
      if (!failed.includes(messageId)) queues.delete(queue, receiptHandle);
    }
  };
  const consume = async (): Promise<void> => {
    for (;;) {
      const batch = await during(queues.receive(queue, { maximum: BatchSize }));
      const { visible, inFlight } = queues.attributes(queue);
      if (batch.length > 0) await handle(batch);
      else if (visible + inFlight === 0) return;
      else await sleep(10_000);
    }
  };
  const startMs = Date.now();
  const consumers = Array.from({ length: atOnce ?? ScalingConfig.MaximumConcurrency }, consume);
  await runInVirtualTime(Promise.all(consumers));
  const dead = queues.attributes(deadLetters).visible;
  const hours = (Date.now() - startMs) / 3_600_000;
  return { attempts, mails: services.mails, dead, asked, hours };
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** How many real calls are under way: no time passes meanwhile. */
let running = 0;

const during = async <T>(call: Promise<T>): Promise<T> => {
  running += 1;
  try {
    return await call;
  } finally {
    running -= 1;
  }
};

/** The clock stands still while anything computes, and then jumps to the next timer. */
const runInVirtualTime = async (all: Promise<unknown>): Promise<void> => {
  let isOver = false;
  const over = all.finally(() => {
    isOver = true;
  });
  over.catch(() => {});
  while (!isOver) {
    await microtasks();
    if (running === 0) vi.advanceTimersToNextTimer();
  }
  await over;
};
