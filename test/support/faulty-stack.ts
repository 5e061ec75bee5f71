import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { dynamodb } from '../../functions/store/client.ts';
import { startDynamodb } from '../../lib/local/local-engine.ts';
import { pathOf } from '../../lib/openapi/operation.ts';
import {
  type FaultyService,
  type FaultyServiceOptions,
  startFaultyService,
} from './faulty-service.ts';
import { type CallFunction, caller } from './http.ts';
import type { KeyedOperation } from './keyed-operations.ts';
import type { PreparedRequest } from './prepared-requests.ts';
import type { Answer } from './send-request.ts';
import { newTenant, type Tenant } from './tenants.ts';

/** A faulty service for a test file, with a client that checks every answer's shape. */
export interface FaultyStack extends FaultyService {
  readonly call: CallFunction;
}

/**
 * One for all files of this worker, which ends with it: starting Java, and the slow calls after
 * that, would take longer than many a file.
 */
let dynamodbLocal: ReturnType<typeof startDynamodb> | undefined;

/**
 * Starts one, which takes its table with it when it stops. A test with many items puts them
 * elsewhere: every call about a table with a stream takes DynamoDB Local through the stream records
 * of all tables before it, deleted ones too. After 13,000 a write takes ten times as long.
 */
export const startServiceOfFile = async (
  options: Pick<FaultyServiceOptions, 'environment' | 'dataDirectory'> = {},
): Promise<FaultyService> => {
  dynamodbLocal ??= startDynamodb().catch((error) => {
    dynamodbLocal = undefined;
    throw error;
  });
  const service = await startFaultyService({
    assemblyDirectory: inject('stack').assemblyDirectory,
    dynamodbUrl: (await dynamodbLocal).url,
    ...options,
  });
  const stop = async () => {
    await service.stop();
    const { TableName } = service.stack.outputs;
    await dynamodb.send(new DeleteTableCommand({ TableName }));
  };
  return { ...service, stop };
};

/**
 * Starts a faulty service before a file's tests and heals it after each. What it returns is filled
 * in when the service runs: it is for tests and hooks, not for the file's top level.
 */
export const useFaultyStack = (environment: Record<string, string> = {}) => {
  const faulty = {} as FaultyStack;
  const tenant = {} as Tenant;
  beforeAll(async () => {
    const service = await startServiceOfFile({ environment });
    Object.assign(faulty, service, { call: caller(service.stack.url ?? '') });
    Object.assign(tenant, await newTenant());
  });
  afterEach(() => faulty.heal());
  afterAll(() => faulty.stop());

  /** Sends an intent once. */
  const ask = (
    { route, request, token }: Pick<PreparedRequest, 'route' | 'request' | 'token'>,
    key?: string,
  ): Promise<Answer> =>
    faulty.call(route.method, pathOf(route, request), { token, key, body: request.body });

  /** Sends a request of the tenant. */
  const send = <Target>(
    { route, request }: KeyedOperation<Target>,
    target: Target,
    key?: string,
  ): Promise<Answer> => ask({ route, request: request(target), token: tenant.token }, key);

  /**
   * The same until its key can be used again: with a real clock a lease that was not given back
   * runs out by itself.
   */
  const askUntilFree = async (intent: PreparedRequest, key: string): Promise<Answer> => {
    const answer = await ask(intent, key);
    if (answer.status !== 409) return answer;
    await sleep(1000);
    return askUntilFree(intent, key);
  };

  return { faulty, tenant, ask, askUntilFree, send };
};
