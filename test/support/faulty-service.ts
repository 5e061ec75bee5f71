import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { inject } from 'vitest';
import { dynamodb } from '../../functions/store/client.ts';
import { type BusEvent, Clock, startDynamodb, startEngine } from '../../lib/local/local-engine.ts';
import { FaultProxy } from './fault-proxy.ts';
import { useStoreOf } from './store.ts';

/** Longer than any visibility timeout, and than any lease. */
const longestWaitMs = 181_000;

/**
 * One for all files of this worker, which ends with it: starting Java, and the slow calls after
 * that, would take longer than many a file.
 */
let dynamodbLocal: ReturnType<typeof startDynamodb> | undefined;

/** A service of the test's own, in which any call fails when the test says so. */
export type FaultyService = Awaited<ReturnType<typeof startFaultyService>>;

/**
 * Starts one, which takes its table with it when it stops, and points the store, and with it the
 * tenants that a test makes, at that table. A test with many items puts them elsewhere: every call
 * about a table with a stream takes DynamoDB Local through the stream records of all tables before
 * it, deleted ones too. After 13,000 a write takes ten times as long.
 */
export const startFaultyService = async () => {
  dynamodbLocal ??= startDynamodb().catch((error) => {
    dynamodbLocal = undefined;
    throw error;
  });
  const dynamodbUrl = (await dynamodbLocal).url;
  const proxies = {
    dynamodb: await FaultProxy.start(),
    sqs: await FaultProxy.start(),
    ses: await FaultProxy.start(),
    eventbridge: await FaultProxy.start(),
  };
  const clock = new Clock();
  const logs: string[] = [];
  const events: BusEvent[] = [];
  const stack = await startEngine({
    assemblyDirectory: inject('stack').assemblyDirectory,
    dynamodbUrl,
    environment: {
      AWS_ENDPOINT_URL_DYNAMODB: proxies.dynamodb.url,
      AWS_ENDPOINT_URL_SQS: proxies.sqs.url,
      AWS_ENDPOINT_URL_SESV2: proxies.ses.url,
      AWS_ENDPOINT_URL_EVENTBRIDGE: proxies.eventbridge.url,
    },
    clock,
    log: () => {},
    onEvent: (event) => events.push(event),
    functionLog: (_, line) => logs.push(line),
  });
  const all = Object.entries(proxies) as [keyof typeof proxies, FaultProxy][];
  for (const [name, proxy] of all) proxy.target = stack.endpoints[name];
  const TableName = stack.outputs.TableName ?? '';
  useStoreOf({ table: TableName, endpoints: stack.endpoints });
  return {
    stack,
    ...proxies,
    /** What buses have accepted; a test may forget it. */
    events,
    /** The time that functions and queues see. */
    clock,
    /** What the functions have printed. */
    logs: logs as readonly string[],
    /** A function by the beginning of its logical id: `ResendOffer`, `Outbox` … */
    lambda: (id: string) => {
      const [, found] = [...stack.functions].find(([logicalId]) => logicalId.startsWith(id)) ?? [];
      if (!found) throw new Error(`The stack has no function ${id}.`);
      return found;
    },
    /** A queue by a part of its name; its dead-letter queue has `DeadLetters` behind it. */
    queue: (part: string) => {
      const found = stack.queues.names().find((name) => name.includes(part));
      if (!found) throw new Error(`There is no queue ${part}.`);
      return found;
    },
    /**
     * Lets messages that wait to come again do so, unless a function still works on one.
     *
     * @returns whether time has passed
     */
    passTime: () => {
      const busy = [...stack.functions.values()].some((each) => each.busy > 0);
      if (!busy) clock.advance(longestWaitMs);
      return !busy;
    },
    /**
     * Nothing goes wrong any more.
     *
     * @throws Error when faults were injected and none was met: the test has tested nothing
     */
    heal: () => {
      const cleared = all.map(([, proxy]) => proxy.clear());
      const idle = cleared.every(({ met }) => met.length === 0);
      if (idle && cleared.some(({ rules }) => rules > 0)) {
        throw new Error('None of the injected faults was met.');
      }
    },
    stop: async () => {
      await stack.stop();
      await Promise.all(all.map(([, proxy]) => proxy.stop()));
      await dynamodb.send(new DeleteTableCommand({ TableName }));
    },
  };
};
