import {
  type BusEvent,
  Clock,
  type Engine,
  type LambdaFunction,
  startEngine,
} from '../../lib/local/local-engine.ts';
import { FaultProxy } from './fault-proxy.ts';
import { useStoreOf } from './store.ts';

/** A service of the test's own, in which any call fails when the test says so. */
export interface FaultyService {
  readonly stack: Engine;
  readonly dynamodb: FaultProxy;
  readonly sqs: FaultProxy;
  readonly ses: FaultProxy;
  readonly eventbridge: FaultProxy;
  /** What buses have accepted; a test may forget it. */
  readonly events: BusEvent[];
  /** The time that functions and queues see. */
  readonly clock: Clock;
  /** What the functions have printed. */
  readonly logs: readonly string[];
  /** A function by the beginning of its logical id: `ResendOffer`, `Outbox` … */
  readonly lambda: (id: string) => LambdaFunction;
  /** The name of a queue by a part of it, and its dead-letter queue by `DeadLetters` behind it. */
  readonly queue: (part: string) => string;
  /**
   * Lets messages that wait to come again do so, unless a function still works on one.
   *
   * @returns whether time has passed
   */
  readonly passTime: () => boolean;
  /**
   * Nothing goes wrong any more.
   *
   * @throws Error when faults were injected and none was met: the test has tested nothing
   */
  readonly heal: () => void;
  readonly stop: () => Promise<void>;
}

/** Longer than any visibility timeout, and than any lease. */
const longestWaitMs = 181_000;

/** A faulty service to start. */
export interface FaultyServiceOptions {
  readonly assemblyDirectory: string;
  /** A DynamoDB that runs already, instead of one started here. */
  readonly dynamodbUrl?: string;
}

/** Starts it, and points the store, and with it the tenants that a test makes, at its table. */
export const startFaultyService = async (options: FaultyServiceOptions): Promise<FaultyService> => {
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
    ...options,
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
  const table = stack.outputs.TableName ?? '';
  useStoreOf({ table, endpoints: stack.endpoints });
  return {
    stack,
    ...proxies,
    events,
    clock,
    logs,
    lambda: (id) => {
      const [, found] = [...stack.functions].find(([logicalId]) => logicalId.startsWith(id)) ?? [];
      if (!found) throw new Error(`The stack has no function ${id}.`);
      return found;
    },
    queue: (part) => {
      const found = stack.queues.names().find((name) => name.includes(part));
      if (!found) throw new Error(`There is no queue ${part}.`);
      return found;
    },
    passTime: () => {
      const busy = [...stack.functions.values()].some((each) => each.busy > 0);
      if (!busy) clock.advance(longestWaitMs);
      return !busy;
    },
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
    },
  };
};
