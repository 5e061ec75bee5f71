import { randomUUID } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import {
  Clock,
  type FunctionSettings,
  LambdaFunction,
  QueueService,
  startSqsServer,
} from '../../lib/local/local-engine.ts';
import { createTable } from './create-table.ts';
import { FaultProxy } from './fault-proxy.ts';
import { readDeployed } from './read-deployed.ts';
import { stack } from './running-stack.ts';
import { useStoreOf } from './store.ts';
import { newTenant } from './tenants.ts';

export interface Deployed extends Pick<LambdaFunction, 'invoke'> {
  /** What it has printed, line by line. */
  readonly log: readonly string[];
}

/** Requires a line with these members in a function's log, which it has before its response. */
export const expectLine = (lambda: Deployed, members: object): void =>
  expect(lambda.log.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining(members),
  );

/**
 * The functions as they are deployed, for one test file: the bundles and the environment are those
 * of the template, but the table and the queues belong to the file alone. So nothing reads the
 * stream or the queues but the test itself, and it sees what one function did and no other.
 */
export const useFunctions = async () => {
  const running: { stop: () => Promise<void> }[] = [];
  afterAll(() => Promise.all(running.map((each) => each.stop())));

  /** The queues of the template, which nobody consumes. */
  const queues = new QueueService();
  const sqs = await startSqsServer(queues);
  running.push(sqs);

  /** Takes the messages out of the queue with this in its name: they do not come again. */
  const takeAll = async (part: string): Promise<string[]> => {
    const name = queues.names().find((each) => each.includes(part)) ?? '';
    const all = await queues.receive(name, { maximum: Number.POSITIVE_INFINITY });
    queues.purge(name);
    return all.map(({ body }) => body);
  };

  /** What the functions take the time from. */
  const clock = new Clock();

  const table = `functions-${randomUUID()}`;
  await createTable(table);
  const surroundings = { table, endpoints: { ...stack.endpoints, sqs: sqs.url } };
  const settingsOf = await readDeployed(stack.assemblyDirectory, queues, surroundings);
  // The store of the test itself, with which tenants are made and effects read.
  useStoreOf(surroundings);

  /** The function that is deployed from `functions/<name>.ts`, with variables over those it has. */
  const deployed = (
    name: string,
    environment: Record<string, string> = {},
    limits: Partial<Pick<FunctionSettings, 'timeoutMs'>> = {},
  ): Deployed => {
    const log: string[] = [];
    const settings = { ...settingsOf(name, environment), ...limits, clock };
    const lambda = new LambdaFunction(settings, (_, line) => log.push(line));
    running.push(lambda);
    return { invoke: (event) => lambda.invoke(event), log };
  };

  /** A function with a proxy between it and a service that it calls. */
  const proxied = async (
    name: string,
    service: 'dynamodb' | 'sqs' | 'ses' = 'dynamodb',
    environment: Record<string, string> = {},
  ) => {
    const proxy = await FaultProxy.start(surroundings.endpoints[service]);
    running.push(proxy);
    const variable = `AWS_ENDPOINT_URL_${service === 'ses' ? 'SESV2' : service.toUpperCase()}`;
    return { proxy, lambda: deployed(name, { ...environment, [variable]: proxy.url }) };
  };

  const tenant = await newTenant();
  return { deployed, proxied, settingsOf, queues, takeAll, clock, tenant };
};
